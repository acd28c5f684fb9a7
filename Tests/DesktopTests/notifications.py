"""What shows notifications on a desktop, for org.freedesktop.Notifications: it writes each as a line of JSON to a file at home."""
import json
import pathlib

from gi.repository import Gio, GLib

INTERFACE = """
<node><interface name="org.freedesktop.Notifications">
  <method name="Notify">
    <arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/><arg type="s" direction="in"/>
    <arg type="s" direction="in"/><arg type="as" direction="in"/><arg type="a{sv}" direction="in"/>
    <arg type="i" direction="in"/><arg type="u" direction="out"/>
  </method>
  <method name="CloseNotification"><arg type="u" direction="in"/></method>
  <method name="GetCapabilities"><arg type="as" direction="out"/></method>
  <method name="GetServerInformation">
    <arg type="s" direction="out"/><arg type="s" direction="out"/><arg type="s" direction="out"/>
    <arg type="s" direction="out"/>
  </method>
  <signal name="NotificationClosed"><arg type="u"/><arg type="u"/></signal>
  <signal name="ActionInvoked"><arg type="u"/><arg type="s"/></signal>
</interface></node>
"""


class Notifications:
    def __init__(self):
        self.path = pathlib.Path.home() / "notifications"
        self.count = 0

    def call(self, _connection, _sender, _object, _interface, method, arguments, invocation):
        if method == "Notify":
            self.count += 1
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"title": arguments[3], "body": arguments[4]}, ensure_ascii=False) + "\n")
            invocation.return_value(GLib.Variant("(u)", (self.count,)))
        elif method == "GetCapabilities":
            invocation.return_value(GLib.Variant("(as)", (["body", "actions"],)))
        elif method == "GetServerInformation":
            invocation.return_value(GLib.Variant("(ssss)", ("test", "test", "1", "1.2")))
        else:
            invocation.return_value(None)


def main():
    service = Notifications()
    interface = Gio.DBusNodeInfo.new_for_xml(INTERFACE).interfaces[0]
    loop = GLib.MainLoop()
    Gio.bus_own_name(
        Gio.BusType.SESSION, "org.freedesktop.Notifications", Gio.BusNameOwnerFlags.NONE,
        lambda connection, _: connection.register_object("/org/freedesktop/Notifications", interface, service.call),
        None, lambda *_: loop.quit())
    loop.run()


main()
