"""Art: the frames that players of rps show, as GIFs, in the terminal, and made from images.

===============  ==========================================================================================
``frames``       `Frame`; `read_frame` and `frame_files` of a folder, `frames_of` a record
``look``         `Look`: theme, scale, pace, loop
``drawing``      `write_gif(frames, look, file)`; needs Pillow
``preview``      `play(frames, look, console)`
``converting``   `convert(image, ...)`: art from an image; needs Pillow
``font``         the glyphs, drawn in ``font.txt`` and computed in ``shapes``
===============  ==========================================================================================
"""
