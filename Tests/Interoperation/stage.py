"""The environment of the users: a server, a session bus with accessibility, a window manager, sound."""
import atexit
import os
import pathlib
import signal
import subprocess
import time

DOMAIN = "hongyan.test"
PASSWORD = "wild-goose-26"
# The address of this machine in the namespace of Scripts/interoperation.
ADDRESS = "192.0.2.1"
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
# The timeout in seconds: test machines are slow and shared.
TIMEOUT = 45

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=%(folder)s/bus</listen>
  <servicedir>/usr/share/dbus-1/accessibility-services</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""


class NotSeen(Exception):
    """An expected result did not appear in time."""


def until(what, condition, timeout=TIMEOUT, note=lambda: ""):
    """Waits until a condition returns a value, and returns the value; otherwise `note` is added to the error."""
    end = time.monotonic() + timeout
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise NotSeen("%s %s" % (what, note()))
        time.sleep(0.1)


class Stage:
    def __init__(self, folder, programs, pictures, takes_files=True):
        self.folder = pathlib.Path(folder)
        self.programs = pathlib.Path(programs)
        self.pictures = pictures and pathlib.Path(pictures)
        self.running = []
        atexit.register(self.end)
        self.environment = dict(
            os.environ, HOME=str(self.folder), XDG_RUNTIME_DIR=str(self.folder),
            XDG_STATE_HOME=str(self.folder / "state"), LC_ALL="C.UTF-8", LANGUAGE="", TZ="UTC", GDK_BACKEND="x11",
            GSK_RENDERER="cairo", GTK_A11Y="atspi", GTK_USE_PORTAL="0", GSETTINGS_BACKEND="memory",
            DBUS_SESSION_BUS_ADDRESS="unix:path=%s/bus" % folder, AT_SPI_BUS_ADDRESS="unix:path=%s/bus" % folder,
            PULSE_SERVER="unix:%s/sound" % folder, PULSE_SOURCE="microphone.monitor", PULSE_SINK="loudspeaker")
        self.environment.pop("WAYLAND_DISPLAY", None)
        # This script uses the same desktop.
        os.environ.update(self.environment)
        self.start_server(takes_files)
        self.start_desktop()

    def start_server(self, takes_files):
        state = self.folder / "state/hongyan/server"
        state.mkdir(parents=True)
        # The ports in the DNS records.
        (state / "ports").write_text("5222 5223 5281\n")
        # Where it takes no files, it has a proxy for those that go from device to device.
        kind = {} if takes_files else {"HONGYAN_UPLOADS": "off", "HONGYAN_PROXY": ADDRESS}
        self.run([REPOSITORY / "Scripts/private-server"], "server", {**self.environment, **kind})
        log = self.folder / "server.log"
        until("the server starts", lambda: "\nready" in log.read_text())
        with open("/etc/ssl/certs/ca-certificates.crt", "a", encoding="ascii") as authorities:
            authorities.write((state / "ca.crt").read_text())

    def start_desktop(self):
        (self.folder / "bus.conf").write_text(BUS % {"folder": self.folder})
        self.run(["dbus-daemon", "--config-file=%s/bus.conf" % self.folder, "--nofork", "--nopidfile"], "session")
        self.run([
            "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--disable-shm=yes",
            "--load=module-native-protocol-unix auth-anonymous=1 socket=%s/sound" % self.folder,
            "--load=module-null-sink sink_name=microphone rate=48000 channels=1",
            "--load=module-null-sink sink_name=loudspeaker rate=48000 channels=2"], "sound-server")
        until("the bus starts", lambda: (self.folder / "bus").exists())
        until("the display starts", lambda: subprocess.run(
            ["xdotool", "getdisplaygeometry"], capture_output=True, check=False).returncode == 0)
        self.run(["openbox", "--sm-disable"], "openbox")

    def run(self, command, name, environment=None):
        """Starts a program; its output is written to NAME.log."""
        with open(self.folder / (name + ".log"), "ab") as log:
            process = subprocess.Popen(
                [str(word) for word in command], env=environment or self.environment, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, cwd=self.folder)
        self.running.append(process)
        return process

    def home(self, name):
        """The environment of a user who shares only the desktop with others."""
        home = self.folder / name
        home.mkdir(exist_ok=True)
        settings = home / "config/gtk-4.0"
        settings.mkdir(parents=True, exist_ok=True)
        # A moving widget would be clicked at its previous position.
        (settings / "settings.ini").write_text("[Settings]\ngtk-enable-animations=0\ngtk-font-name=Cantarell 11\n")
        return dict(
            self.environment, HOME=str(home), XDG_CONFIG_HOME=str(home / "config"), XDG_DATA_HOME=str(home / "data"),
            XDG_CACHE_HOME=str(home / "cache"), XDG_STATE_HOME=str(home / "state"),
            HONGYAN_PROFILE=str(home / "profile"))

    def picture(self, name):
        if self.pictures:
            subprocess.run(["import", "-window", "root", str(self.pictures / (name + ".png"))], check=False)

    def trees(self, name, *people):
        """Saves what the windows contain, beside the pictures."""
        if self.pictures:
            for someone in people:
                try:
                    (self.pictures / ("%s-%s.txt" % (name, someone.name))).write_text(someone.tree())
                except NotSeen:
                    pass

    def end(self):
        for process in reversed(self.running):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in self.running:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
