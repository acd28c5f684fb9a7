-- The private server of Scripts/private-server: Prosody 0.12 or newer, on loopback only.
-- All paths are relative to the state directory, to which this file is copied.

local domain = ENV_HONGYAN_DOMAIN

pidfile = "prosody.pid"
data_path = "."
admin_socket = "prosody.sock"
certificates = "."
log = { { levels = { min = "info" }, to = "file", filename = "prosody.log" } }

interfaces = { "127.0.0.1", "::1" }
local_interfaces = { "127.0.0.1" }
c2s_ports = { ENV_HONGYAN_PORT }
c2s_direct_tls_ports = { ENV_HONGYAN_DIRECT_TLS_PORT }
https_interfaces = { "127.0.0.1", "::1" }
https_ports = { ENV_HONGYAN_HTTPS_PORT }
http_ports = {}
s2s_ports = {}
component_ports = {}
proxy65_interfaces = { ENV_HONGYAN_PROXY }
-- Nagle's algorithm costs 40 ms for each small exchange on loopback.
network_settings = { nagle = false }

local tls = { certificate = "server.crt", key = "server.key", protocol = "tlsv1_2+" }
ssl = tls
c2s_direct_tls_ssl = tls
https_ssl = tls
c2s_require_encryption = true
authentication = "internal_hashed"
storage = "internal"

modules_enabled = {
  "roster", "saslauth", "tls", "disco",
  "carbons", "smacks", "mam", "csi_simple", "offline",
  "blocklist", "private", "bookmarks", "pep", "vcard4", "vcard_legacy",
  "register", "ping", "time", "version", "lastactivity", "tombstones", "limits",
}
modules_disabled = { "s2s", "dialback" }

allow_registration = true
smacks_hibernation_time = 600
archive_expires_after = "never"
-- One user on one machine: high enough for normal use, low enough to stop a runaway program.
limits = { c2s = { rate = "10mb/s" } }

http_host = "localhost"

VirtualHost(domain)

Component("conference." .. domain) "muc"
  modules_enabled = { "muc_mam", "vcard_muc" }
  restrict_room_creation = "local"

-- Off for tests of files that go from device to device.
if ENV_HONGYAN_UPLOADS ~= "off" then
  Component("upload." .. domain) "http_file_share"
    http_external_url = "https://localhost:" .. ENV_HONGYAN_HTTPS_PORT .. "/"
    http_file_share_size_limit = 100 * 1024 * 1024
    http_file_share_daily_quota = 1024 * 1024 * 1024
    http_file_share_expires_after = 365 * 24 * 3600
end

-- For files from device to device. Clients do not connect to proxies on their own machine, so it is another address than loopback's.
if ENV_HONGYAN_PROXY then
  Component("proxy." .. domain) "proxy65"
    proxy65_address = ENV_HONGYAN_PROXY
end
