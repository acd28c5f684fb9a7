"""A desktop that says how long the user has done nothing, as GNOME or KDE do: the milliseconds in the file `idle` of the home folder.

idle.py gnome|kde
"""
import pathlib
import sys

from gi.repository import Gio, GLib

SERVICES = {
    "gnome": ("org.gnome.Mutter.IdleMonitor", "/org/gnome/Mutter/IdleMonitor/Core", "GetIdletime", "t"),
    "kde": ("org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver", "GetSessionIdleTime", "u"),
}


def main():
    name, path, method, kind = SERVICES[sys.argv[1]]
    file = pathlib.Path.home() / "idle"
    node = Gio.DBusNodeInfo.new_for_xml(
        "<node><interface name='%s'><method name='%s'><arg type='%s' direction='out'/></method></interface></node>" % (
            name, method, kind))

    def called(_connection, _sender, _path, _interface, _method, _arguments, call):
        call.return_value(GLib.Variant("(%s)" % kind, (int(file.read_text()),)))

    def acquired(connection, _name):
        connection.register_object(path, node.interfaces[0], called, None, None)

    Gio.bus_own_name(
        Gio.BusType.SESSION, name, Gio.BusNameOwnerFlags.NONE, acquired, lambda *_: print("ready", flush=True),
        lambda *_: sys.exit(1))
    GLib.MainLoop().run()


main()
