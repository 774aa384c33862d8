"""Art: the frames that players show, as GIFs and in the terminal, and made from images.

===============  ==========================================================================================
``frames``       `Frame`; `read_frame` and `frame_files` of a folder, `frames_of` a record
``options``      `GifOptions`: theme, scale, pace, loop
``drawing``      `write_gif(frames, options, file)`; needs Pillow
``preview``      `play(frames, options, console)`
``converting``   `convert(image, ...)`: art from an image; needs Pillow
``font``         the glyphs, drawn in ``font.txt`` and computed in ``shapes``
===============  ==========================================================================================
"""
