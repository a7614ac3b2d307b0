"""Charts as SVG strings: pure functions from numbers, with no library and no outside file.

Every chart is a set of panels drawn 360 units wide, which is about as many pixels on a phone and in
a third of a desktop page, so that letters keep their size. Colours come from the page's style
sheet by class, so that one drawing serves light, dark and print; shape, fill and labels carry the
same distinction for who sees no colour.
"""
