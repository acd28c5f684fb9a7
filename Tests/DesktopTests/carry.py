"""A file manager with one window, from which files are dragged: all that are named, as a list of addresses like other programs.

Ends when they were dropped somewhere; the exit status is 0 if they were taken.
"""
import sys

import gi

gi.require_version("Gdk", "4.0")
gi.require_version("Gtk", "4.0")
from gi.repository import Gdk, GLib, Gtk

Gtk.init()
loop = GLib.MainLoop()
is_taken = True
addresses = "".join(GLib.filename_to_uri(path) + "\r\n" for path in sys.argv[1:]).encode()


def refused(*_):
    global is_taken
    is_taken = False
    return False


source = Gtk.DragSource(actions=Gdk.DragAction.COPY)
source.connect("prepare", lambda *_: Gdk.ContentProvider.new_for_bytes("text/uri-list", GLib.Bytes.new(addresses)))
source.connect("drag-cancel", refused)
source.connect("drag-end", lambda *_: loop.quit())
handle = Gtk.Label(label="files")
handle.add_controller(source)
window = Gtk.Window(title="carried files", decorated=False, default_width=120, default_height=60, child=handle)
window.present()
loop.run()
sys.exit(0 if is_taken else 1)
