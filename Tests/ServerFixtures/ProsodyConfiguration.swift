/// The configuration file of a private Prosody, and the small module through which the fixture controls it.
///
/// Typical private servers run the same modules, so tests meet what clients meet in practice.
struct ProsodyConfiguration: Sendable {
    let release: ServerRelease
    let options: ServerOptions
    let directory: String
    let certificates: Certificates
    /// STARTTLS, direct TLS, HTTP, HTTPS, component, and the proxy for files if there is one.
    let ports: [UInt16]

    private static let usualModules: Set<String> = [
        "roster", "saslauth", "tls", "disco", "carbons", "smacks", "mam", "blocklist", "vcard4", "vcard_legacy", "pep",
        "bookmarks", "private", "csi_simple", "register_ibr", "user_account_management", "ping", "time", "version",
        "uptime", "lastactivity", "offline", "limits", "admin_shell", "tombstones", "http", "websocket",
        "fixture_control",
    ]
    /// The equivalent modules for 0.12 are in Debian too and can be loaded, but fail on the first encrypted stream.
    private static let modulesOfBackports: Set<String> = [
        "sasl2", "sasl2_bind2", "sasl2_fast", "sasl2_sm", "http_altconnect",
    ]
    /// 0.12 has no module for XEP-0156; its users publish files on their web servers.
    private static let modulesOfDebian12: Set<String> = ["fixture_host_meta"]

    private var modules: [String] {
        var modules = Self.usualModules.union(options.addedModules)
        modules.formUnion(release == .backports ? Self.modulesOfBackports : Self.modulesOfDebian12)
        if !options.administrators.isEmpty { modules.formUnion(["adhoc", "admin_adhoc", "announce"]) }
        modules.subtract(options.removedModules)
        if !options.allowsRegistration { modules.remove("register_ibr") }
        return modules.sorted()
    }

    private var protocolVersion: String {
        switch options.tls {
        case .all: "tlsv1_2+"
        case .only12: "tlsv1_2"
        case .only13: "tlsv1_3"
        }
    }

    private var authentication: String {
        switch options.passwordStore {
        case .plain: "authentication = \"internal_plain\""
        case .hashedSHA1: "authentication = \"internal_hashed\""
        case .hashedSHA256: "authentication = \"internal_hashed\"; password_hash = \"SHA-256\""
        }
    }

    var text: String {
        """
        pidfile = "\(directory)/prosody.pid"
        data_path = "\(directory)/data"
        admin_socket = "\(directory)/prosody.sock"
        plugin_paths = { "\(directory)" }
        log = { { levels = { min = "info" }, to = "file", filename = "\(directory)/prosody.log" } }

        interfaces = { "127.0.0.1", "::1" }
        local_interfaces = { "127.0.0.1" }
        c2s_ports = { \(ports[0]) }
        c2s_direct_tls_ports = { \(ports[1]) }
        http_interfaces = { "127.0.0.1" }
        http_ports = { \(ports[2]) }
        https_interfaces = { "127.0.0.1", "::1" }
        https_ports = { \(ports[3]) }
        component_interfaces = { "127.0.0.1" }
        component_ports = { \(ports[4]) }
        s2s_ports = {}
        -- Nagle's algorithm costs 40 ms for each small exchange on loopback.
        -- Many tests connect at the same time, and on a busy machine the server accepts them late.
        network_settings = { nagle = false; tcp_backlog = 1024 }

        local tls = {
          certificate = "\(certificates.certificateFile(options.certificate))";
          key = "\(certificates.keyFile(options.certificate))";
          protocol = "\(protocolVersion)";\(options.asksForClientCertificates ? clientVerification : "")
        }
        ssl = tls; c2s_direct_tls_ssl = tls; https_ssl = tls
        c2s_require_encryption = true
        allow_unencrypted_plain_auth = false
        c2s_stanza_size_limit = \(options.stanzaSizeLimit)
        limits = { c2s = { rate = "\(options.bytesPerSecond.map { "\($0 / 1000)kb/s" } ?? "1000mb/s")" } }
        \(authentication)
        storage = "internal"

        modules_enabled = { \(modules.map { "\"\($0)\"" }.joined(separator: ", ")) }
        modules_disabled = { "s2s", "dialback" }
        allow_registration = \(options.allowsRegistration)
        archive_expires_after = "never"
        default_archive_policy = true
        smacks_hibernation_time = \(options.resumptionSeconds)
        \(options.offersFileProxy ? "proxy65_ports = { \(ports[5]) }; proxy65_interfaces = { \"127.0.0.1\" }" : "")
        http_host = "localhost"
        http_default_host = "localhost"
        admins = { \(options.administrators.map { "\"\($0)@xmpp.test\"" }.joined(separator: ", ")) }
        \(options.configurationLines.joined(separator: "\n"))

        VirtualHost "xmpp.test"
          https_host = "xmpp.test"
        VirtualHost "other.test"\(options.asksForClientCertificates ? "\n  authentication = \"ccert\"" : "")
        VirtualHost "anon.xmpp.test"
          authentication = "anonymous"
        Component "conference.xmpp.test" "muc"
          modules_enabled = { "muc_mam", "vcard_muc", "muc_moderation" }
          muc_log_by_default = true
        \(options.removedModules.contains("http_file_share") ? "" : uploadComponent)
        Component "pubsub.xmpp.test" "pubsub"
        \(options.offersFileProxy ? fileProxy : "")
        \(externalComponents)

        """
    }

    private var fileProxy: String {
        """
        Component "proxy.xmpp.test" "proxy65"
          proxy65_address = "127.0.0.1"
          proxy65_acl = { "xmpp.test" }
        """
    }

    private var externalComponents: String {
        let modules = options.componentModules.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
        let enabled = modules.isEmpty ? "" : "\n  modules_enabled = { \(modules) }"
        return (["ext.xmpp.test"] + options.componentDomains)
            .map { "Component \"\($0)\"\n  component_secret = \"\(ServerOptions.componentSecret)\"\(enabled)" }
            .joined(separator: "\n")
    }

    private var clientVerification: String {
        " verify = { \"peer\" }; cafile = \"\(certificates.authorityFile)\";"
    }

    private var uploadComponent: String {
        """
        Component "upload.xmpp.test" "http_file_share"
          http_external_url = "https://localhost:\(ports[3])/"
          http_file_share_size_limit = \(options.uploadSizeLimit)
          http_file_share_access = { "xmpp.test", "other.test" }
        """
    }

    /// `POST /fixture_control` with a JSON object: creates and removes accounts and disturbs sessions, in about a
    /// millisecond.
    static let controlModule = """
        local json = require "util.json";
        local usermanager = require "core.usermanager";
        local hosts = prosody.hosts;
        module:depends("http");

        local function sessions_of(request)
          local user = hosts[request.host].sessions[request.user];
          return user and user.sessions or {};
        end

        local actions = {
          register = function (r)
            if usermanager.user_exists(r.user, r.host) then return nil, "conflict"; end
            return usermanager.create_user(r.user, r.password, r.host);
          end;
          unregister = function (r) return usermanager.delete_user(r.user, r.host); end;
          cut = function (r)
            for _, session in pairs(sessions_of(r)) do
              if session.conn then session.conn:close(); end
            end
            return true;
          end;
          inject = function (r)
            for _, session in pairs(sessions_of(r)) do
              if session.conn then session.conn:write(r.xml); end
            end
            return true;
          end;
          invite = function (r)
            local invites = require "core.modulemanager".get_module(r.host, "invites");
            if r.contact then return invites.create_contact(r.contact, true).uri; end
            return invites.create_account(r.user).uri;
          end;
          sessions = function (r)
            local count = 0;
            for _ in pairs(sessions_of(r)) do count = count + 1; end
            return tostring(count);
          end;
        };

        local function handle(event)
          local request = json.decode(event.request.body or "");
          local action = request and actions[request["do"]];
          if not action or not hosts[request.host] then return 400; end
          local result, problem = action(request);
          if not result then
            event.response.status_code = 409;
            return tostring(problem);
          end
          return type(result) == "string" and result or "done";
        end

        module:provides("http", { default_path = "/fixture_control"; route = { POST = handle } });

        """
    /// Loses a message whose text begins with "lost" the first time it is sent, after the server has acknowledged it,
    /// like a node of a cluster that crashes.
    static let lossModule = """
        local seen = {};

        local function lose(event)
          local stanza = event.stanza;
          local body = stanza:get_child_text("body");
          if not body or body:sub(1, 4) ~= "lost" or seen[stanza.attr.id] then return; end
          seen[stanza.attr.id] = true;
          return true;
        end

        module:hook("pre-message/bare", lose, 1000);
        module:hook("pre-message/full", lose, 1000);

        """

    /// The files that another web server would serve at `/.well-known/` for 0.12.
    static let hostMetaModule = """
        module:depends("http");
        local relation = "urn:xmpp:alt-connections:websocket";

        local function address() return (module:http_url("websocket", "/xmpp-websocket"):gsub("^http", "ws")); end

        module:provides("http", {
          default_path = "/.well-known";
          route = {
            ["GET /host-meta"] = function (event)
              event.response.headers.content_type = "application/xrd+xml";
              return "<?xml version='1.0' encoding='utf-8'?>\\n"
                .. "<XRD xmlns='http://docs.oasis-open.org/ns/xri/xrd-1.0'>"
                .. "<Link rel='" .. relation .. "' href='" .. address() .. "'/></XRD>";
            end;
            ["GET /host-meta.json"] = function (event)
              event.response.headers.content_type = "application/json";
              return '{"links":[{"rel":"' .. relation .. '","href":"' .. address() .. '"}]}';
            end;
          };
        });

        """
}
