"""Files of translation tools: units with ids, originals and translations, which are only read.

units: units of any of these files as columns; numbers of missing ones and of others left out
markup: XLIFF and its dialects, TMX, TTX, TXML, Qt's TS, RESX, Android's strings
catalogues: gettext's PO, Java's properties, Apple's strings, ARB
subtitles: SubRip, WebVTT, SubViewer, SubStation: one unit for each time
"""
