"""Art: the frames that players of rps show, as GIFs, in the terminal, and made from images."""
