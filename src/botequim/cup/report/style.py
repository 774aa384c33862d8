"""The style of the pages, for light and dark themes, phones and paper."""

from __future__ import annotations

from typing import Final

STYLE: Final = """
:root {
  color-scheme: light dark;
  --paper: #fbfaf7; --card: #ffffff; --ink: #1d2125; --soft: #5d6670; --line: #dcd9d2;
  --accent: #0f6b4f; --good: #2e9e6b; --bad: #d4605a; --gold: #b7791f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171a; --card: #1c2024; --ink: #e8e6e1; --soft: #9aa3ad; --line: #343a41;
    --accent: #5cc6a0; --good: #3fae7d; --bad: #c8615c; --gold: #e0b050;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
main { max-width: 72rem; margin: 0 auto; padding: 1.5rem clamp(.9rem, 3vw, 2rem) 4rem; }
h1, h2, h3 { line-height: 1.2; overflow-wrap: anywhere; }
h1 { font-size: clamp(1.6rem, 5vw, 2.4rem); margin: .5rem 0 .25rem; }
h2 { font-size: 1.35rem; margin: 2.5rem 0 .5rem; }
h2 { padding-bottom: .3rem; border-bottom: 2px solid var(--accent); }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; }
p { margin: .4rem 0 .8rem; color: var(--soft); overflow-wrap: anywhere; }
p.strong { color: var(--ink); font-weight: 600; }
a { color: var(--accent); }
.languages { float: right; font-size: .9rem; }
.champion {
  display: flex; align-items: center; gap: 1rem; margin: 1rem 0; padding: .9rem 1.2rem;
  background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  border-left: 6px solid var(--gold);
}
.champion strong { font-size: 1.3rem; overflow-wrap: anywhere; }
.champion span { display: block; color: var(--soft); font-size: .85rem; }
.champion img { width: 4rem; height: 4rem; object-fit: cover; border-radius: 50%; }
.wide {
  overflow-x: auto; margin: .5rem 0 1rem;
  background: var(--card); border: 1px solid var(--line); border-radius: 8px;
}
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .94rem; }
th, td { padding: .4rem .7rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
tr:last-child > td, tr:last-child > th { border-bottom: 0; }
thead th { color: var(--soft); font-weight: 600; font-size: .82rem; white-space: nowrap; }
tbody th { font-weight: 600; min-width: 7rem; max-width: 20rem; overflow-wrap: anywhere; }
thead th.number:first-child { width: 1%; }
tbody th { position: sticky; left: 0; background: var(--card); }
.number { text-align: right; white-space: nowrap; }
td small, th small { display: block; color: var(--soft); font-weight: 400; font-size: .78rem; }
td.shaded {
  --hue: color-mix(in oklab, var(--good) calc(var(--rate) * 1%), var(--bad));
  background: color-mix(in srgb, var(--hue) 28%, var(--card));
}
td.shaded small { color: inherit; opacity: .75; }
.links a { margin-right: .45em; }
td.chart { min-width: 12rem; width: 45%; padding-top: 0; padding-bottom: 0; }
.interval { display: block; width: 100%; height: 2.3rem; }
.interval .mark { stroke: var(--line); stroke-width: 1.5; stroke-dasharray: 3 3; }
.interval .span { stroke: var(--accent); stroke-width: 3; stroke-linecap: round; opacity: .55; }
.interval circle { fill: var(--accent); }
details { margin: .6rem 0; }
summary { cursor: pointer; color: var(--accent); }
figure { margin: .8rem 0; }
img.board { width: 100%; max-width: 48rem; height: auto; border-radius: .6rem; }
figcaption { color: var(--soft); font-size: .85rem; }
pre {
  margin: .2rem 0 .8rem; padding: .7rem .9rem; overflow-x: auto;
  white-space: pre-wrap; overflow-wrap: anywhere;
  background: var(--card); border: 1px solid var(--line); border-radius: 6px; font-size: .85rem;
}
.bracket { display: block; margin: .8rem; font-size: 14px; }
.bracket rect { fill: var(--card); stroke: var(--line); }
.bracket path { fill: none; stroke: var(--line); stroke-width: 1.5; }
.bracket text { fill: var(--ink); }
.bracket .round { fill: var(--soft); font-size: 12px; }
.bracket .won { font-weight: 700; fill: var(--accent); }
.bracket .lost { fill: var(--soft); }
.bracket .score { text-anchor: end; }
@media (max-width: 40rem) {
  th, td { padding: .35rem .5rem; }
  table { font-size: .88rem; }
  tbody th { min-width: 5.5rem; max-width: 11rem; }
  td.chart { min-width: 8rem; }
}
@media print {
  .languages { display: none; }
  :root { --paper: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #bbb; --accent: #064; }
  main { max-width: none; padding: 0; }
  .wide { overflow: visible; border-radius: 0; }
  .bracket { max-width: 100%; height: auto; }
  tbody th { position: static; }
  tr, figure, .champion { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  thead { display: table-header-group; }
  a { color: inherit; text-decoration: none; }
}
"""
