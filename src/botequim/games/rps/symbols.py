"""Hands as symbols of pictures.

``rock``, ``paper``, ``scissors`` and ``missing`` are 100 by 100; ``mr``, ``mp``, ``ms`` and ``mm`` are the
same hands, 16 by 16.
"""

from __future__ import annotations

from typing import Final

from botequim.render.symbols import SymbolSet

HAND_SIZE: Final = 100
_DRAWINGS: Final = {
    "rock": '<path class="stone" d="M14 70L22 40L44 20L70 24L88 46L86 72L66 86H30z"/>'
    '<path class="stoneline" d="M44 20L48 44L22 40M48 44L70 50L88 46M70 50L66 86M48 44L36 66L30 86"/>',
    "paper": '<path class="sheet" d="M24 10H64L80 26V90H24z"/><path class="sheet" d="M64 10V26H80"/>'
    '<path class="sheetline" d="M34 40H70M34 52H70M34 64H70M34 76H56"/>',
    "scissors": '<path class="blade" d="M47 52L70 8Q77 20 70 32L55 58z"/>'
    '<path class="blade" d="M53 52L30 8Q23 20 30 32L45 58z"/>'
    '<circle class="grip" cx="34" cy="76" r="13"/><circle class="grip" cx="66" cy="76" r="13"/>'
    '<path class="blade" d="M43 65L50 53L57 65L61 64L52 46H48L39 64z"/>'
    '<circle class="pin" cx="50" cy="52" r="3"/>',
    "missing": '<path class="gone" d="M20 50a30 30 0 1 1 60 0a30 30 0 1 1-60 0M30 70L70 30"/>',
    "mr": '<path d="M3 11L5 4l5-2 4 4-1 6-5 2z"/>',
    "mp": '<path d="M3.5 1.5h6l3 3v10h-9z"/>',
    "ms": '<path d="M3 1.6l1.8-.9 6.6 10.5-1.6 1zM13 1.6l-1.8-.9-6.6 10.5 1.6 1z"/>'
    '<circle cx="4" cy="12.7" r="2.6"/><circle cx="12" cy="12.7" r="2.6"/>',
    "mm": '<path d="M3 7h10v2h-10z"/>',
}
HAND_SYMBOLS: Final = SymbolSet(tuple(_DRAWINGS), _DRAWINGS.__getitem__)
