/// The configuration file of a private ejabberd; it stores data in SQL, which is many times faster here than Mnesia's
/// files.
struct EjabberdConfiguration: Sendable {
    let release: ServerRelease
    let options: ServerOptions
    let directory: String
    let certificates: Certificates
    /// STARTTLS, direct TLS, HTTP, HTTPS, component, and the proxy for files if there is one.
    let ports: [UInt16]
    /// Set if the node shares a database with others; otherwise it has its own SQLite file.
    var node: EjabberdNode?

    private var database: String {
        guard let node else { return "sql_type: sqlite\nsql_database: \"\(directory)/ejabberd.db\"" }
        return """
            sql_type: pgsql
            sql_server: "127.0.0.1"
            sql_port: \(node.databasePort)
            sql_database: \(PrivatePostgreSQL.database)
            sql_username: \(PrivatePostgreSQL.user)
            sql_password: ""
            sql_pool_size: 3
            """
    }

    private var uploadDirectory: String { node?.sharedDirectory ?? "\(directory)/upload" }

    /// Module name and its options in YAML's flow style.
    private var usualModules: [String: String] {
        [
            "mod_adhoc": "{}", "mod_admin_extra": "{}", "mod_avatar": "{}", "mod_blocking": "{}", "mod_caps": "{}",
            "mod_carboncopy": "{}", "mod_client_state": "{}", "mod_disco": "{}", "mod_http_api": "{}",
            "mod_host_meta": "{ websocket_url: \"wss://localhost:\(ports[3])/ws\" }",
            "mod_last": "{}", "mod_offline": "{ store_empty_body: unless_chat_state }",
            "mod_mam": "{ assume_mam_usage: true, default: always, request_activates_archiving: false }",
            "mod_muc": """
            { host: "conference.@HOST@", access_create: local, \
            default_room_options: { mam: true, persistent: true } }
            """,
            "mod_ping": "{ send_pings: false }", "mod_privacy": "{}", "mod_private": "{}",
            "mod_pubsub": "{ host: \"pubsub.@HOST@\", plugins: [ flat, pep ] }",
            "mod_register": "{ ip_access: all, access: register, password_strength: 0 }",
            "mod_roster": "{ versioning: true }",
            "mod_stream_mgmt": "{ resend_on_timeout: if_offline, resume_timeout: \(options.resumptionSeconds) }",
            "mod_time": "{}", "mod_vcard": "{}", "mod_vcard_xupdate": "{}", "mod_version": "{ show_os: false }",
        ]
    }

    private var modules: String {
        var added = Dictionary(uniqueKeysWithValues: options.addedModules.map { ($0, "{}") })
        if !options.administrators.isEmpty {
            added["mod_configure"] = "{}"
            added["mod_announce"] = "{ access: administrators }"
        }
        if options.offersFileProxy {
            added["mod_proxy65"] =
                "{ host: \"proxy.@HOST@\", hostname: \"127.0.0.1\", ip: \"127.0.0.1\", port: \(ports[5]), access: local }"
        }
        // Tokens can be stored in Mnesia only.
        if release == .backports { added["mod_auth_fast"] = "{ db_type: mnesia }" }
        return usualModules.merging(added) { usual, _ in usual }
            .merging(options.moduleOptions) { _, changed in changed }
            .filter { !options.removedModules.contains($0.key) }
            .sorted { $0.key < $1.key }
            .map { "  \($0.key): \($0.value)" }
            .joined(separator: "\n")
    }

    private var protocolOptions: String {
        let refused =
            switch options.tls {
            case .all: ["no_sslv3", "no_tlsv1", "no_tlsv1_1"]
            case .only12: ["no_sslv3", "no_tlsv1", "no_tlsv1_1", "no_tlsv1_3"]
            case .only13: ["no_sslv3", "no_tlsv1", "no_tlsv1_1", "no_tlsv1_2"]
            }
        return "[ \(refused.joined(separator: ", ")), cipher_server_preference ]"
    }

    private var passwords: String {
        switch options.passwordStore {
        case .plain: "auth_password_format: plain"
        case .hashedSHA1: "auth_password_format: scram\nauth_scram_hash: sha"
        case .hashedSHA256: "auth_password_format: scram\nauth_scram_hash: sha256"
        }
    }

    /// Who they are, and what they may: `configure` is the rule of the server's commands.
    private var administrators: (users: String, rules: String) {
        guard !options.administrators.isEmpty else { return ("", "") }
        let users = options.administrators.map { "\"\($0)\"" }.joined(separator: ", ")
        return (
            "  administrators: { user: [ \(users) ] }",
            "  configure: { allow: administrators }\n  administrators: { allow: administrators }"
        )
    }

    private var components: String {
        (["ext.xmpp.test"] + options.componentDomains)
            .map { "\"\($0)\": { password: \"\(ServerOptions.componentSecret)\" }" }
            .joined(separator: ", ")
    }

    private func clientListener(_ port: UInt16, tls: String) -> String {
        """
          -
            port: \(port)
            ip: "127.0.0.1"
            module: ejabberd_c2s
            max_stanza_size: \(options.stanzaSizeLimit)
            shaper: clients
            \(tls)\(options.asksForClientCertificates ? "\n    tls_verify: true" : "")
        """
    }

    var text: String {
        """
        hosts: [ "xmpp.test", "other.test" ]
        loglevel: info
        certfiles:
          - "\(certificates.certificateFile(options.certificate))"
          - "\(certificates.keyFile(options.certificate))"
        c2s_protocol_options: \(protocolOptions)
        c2s_cafile: "\(certificates.authorityFile)"
        auth_method: [ sql ]
        \(passwords)
        default_db: sql
        \(database)
        registration_timeout: infinity
        listen:
        \(clientListener(ports[0], tls: "starttls_required: true"))
        \(clientListener(ports[1], tls: "tls: true"))
          -
            port: \(ports[2])
            ip: "127.0.0.1"
            module: ejabberd_http
            request_handlers:
              /api: mod_http_api
          -
            port: \(ports[3])
            ip: "127.0.0.1"
            module: ejabberd_http
            tls: true
            protocol_options: \(protocolOptions)
            request_handlers:
              /upload: mod_http_upload
              /ws: ejabberd_http_ws
              /.well-known/host-meta: mod_host_meta
              /.well-known/host-meta.json: mod_host_meta
          -
            port: \(ports[4])
            ip: "127.0.0.1"
            module: ejabberd_service
            hosts: { \(components) }
            # Otherwise each component gets what is for any of them.
            global_routes: false
        acl:
          local: { user_regexp: "" }
          loopback: { ip: "127.0.0.0/8" }
        \(administrators.users)
        access_rules:
          local: { allow: local }
        \(administrators.rules)
          register: { \(options.allowsRegistration ? "allow" : "deny"): all }
        shaper:
          clients: { rate: \(options.bytesPerSecond ?? 1_000_000_000), burst_size: \(options.bytesPerSecond ?? 1_000_000_000) }
        api_permissions:
          "fixture":
            who: { access: { allow: { acl: loopback } } }
            what: [ "*" ]
        \(options.configurationLines.joined(separator: "\n"))
        modules:
        \(modules)
        append_host_config:
          "xmpp.test":
            modules:
              mod_http_upload:
                host: "upload.xmpp.test"
                put_url: "https://localhost:\(ports[3])/upload"
                docroot: "\(uploadDirectory)"
                max_size: \(options.uploadSizeLimit)

        """
    }
}
