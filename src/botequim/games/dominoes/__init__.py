"""What domino games share: tiles, and how a line of tiles is drawn, told and played at the terminal."""
