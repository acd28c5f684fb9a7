internal import ChatModel
internal import Localization
internal import Roster
internal import TerminalApp
internal import TransportLayer
internal import UserProfile
internal import XMPPAddress
internal import XMPPStanzas

/// The account and the connection to its server: the options that every command has.
struct ConnectionOptions: Sendable {
    /// The accepted certificates.
    enum Trust: Sendable, Equatable {
        /// The certificate authorities of the system, or of the file of `--ca`.
        case authorities
        /// Ask on the terminal about any other certificate.
        case ask
        /// This certificate, by its SHA-256 in hexadecimal digits.
        case pinned(String)
    }

    var address: JID?
    var host: String?
    var port: UInt16?
    var authorityFile: String?
    var usesDirectTLS: Bool
    /// The certificate with which the account logs in (XEP-0178).
    var identity: TLSIdentity?
    var passwordFile: String?
    /// The URL of a proxy, without a password.
    var proxyURL: String?
    var proxyPasswordFile: String?
    var log: LogFile?
    /// In seconds.
    var timeout: Int?
    var trust: Trust
    var isVerbose: Bool

    static let options: [OptionParser.Option] = [
        .init("jid", letter: "j", value: "ADDRESS", "the account, such as juliet@example.org"),
        .init("host", value: "NAME", "connect to this host instead of looking it up in DNS"),
        .init("port", value: "NUMBER", "and to this port"),
        .init("ca", value: "FILE", "trust the certificate authorities in this PEM file"),
        .init(
            "trust", value: "ask|SHA256", "ask about an unknown certificate, or accept the one with this fingerprint"),
        .init("direct-tls", "encrypt from the first byte, without STARTTLS"),
        .init(
            "client-certificate", value: "FILE", "log in with the certificate in this PEM file in place of a password"),
        .init("client-key", value: "FILE", "its private key, if that is in another file"),
        .init(
            "password-file", value: "FILE",
            "read the password, or the passphrase of the key, from the first line of this file, - is standard input"),
        .init("proxy", value: "URL", "connect through this proxy: socks5://, socks5h:// (no DNS here) or http://"),
        .init("proxy-password-file", value: "FILE", "read the password for the proxy from this file"),
        .init("log", value: "FILE", "append what happens on the connection to this file"),
        .init(
            "log-level", value: "failures|steps|stanzas|wire",
            "and how much of it (steps); wire is all XML without secrets"),
        .init("timeout", value: "SECONDS", "the timeout of the login and of each request"),
        .init("verbose", letter: "v", "report the steps of the connection on standard error"),
    ]

    init(_ options: OptionParser.Result) throws(CommandError) {
        if let text = options["jid"] { address = try Self.account(text) }
        host = options["host"]
        if let text = options["port"] {
            guard let number = UInt16(text), number > 0 else {
                throw .usage(localized("“%@” is not a port; give a number from 1 to 65535.", text))
            }
            port = number
        }
        authorityFile = options["ca"]
        usesDirectTLS = options.has("direct-tls")
        identity = try Self.identity(options)
        passwordFile = options["password-file"]
        proxyURL = options["proxy"]
        proxyPasswordFile = options["proxy-password-file"]
        if proxyURL == nil, proxyPasswordFile != nil {
            throw .usage(localized("--proxy-password-file needs --proxy, which it belongs to."))
        }
        log = try Self.log(options)
        if let text = options["timeout"] {
            guard let seconds = Int(text), (1...86_400).contains(seconds) else {
                throw .usage(localized("“%@” is not a time; give a whole number of seconds.", text))
            }
            timeout = seconds
        }
        trust = try Self.trust(options["trust"])
        isVerbose = options.has("verbose")
        _ = try proxy()
    }

    private static func account(_ text: String) throws(CommandError) -> JID {
        let address: JID
        do {
            address = try JID(text)
        } catch {
            throw .usage(localized("“%@” is not an address. %@", TerminalText.harmless(text), Wording.failure(error)))
        }
        guard address.local != nil else {
            throw .usage(localized("“%@” names no account; write it as user@domain.", text))
        }
        return address
    }

    /// The proxy; `nil` without one.
    func proxy() throws(CommandError) -> Proxy? {
        guard let proxyURL else { return nil }
        guard let proxy = try? Proxy(proxyURL) else {
            throw .usage(
                localized(
                    "--proxy is not the URL of a proxy; write it as socks5://HOST:PORT, socks5h://HOST:PORT or http://HOST:PORT."
                ))
        }
        guard proxy.password == nil else {
            throw .usage(
                localized("The password of the proxy belongs in a file (--proxy-password-file), not in its URL."))
        }
        guard let proxyPasswordFile else { return proxy }
        do throws(TransportError) {
            return try Proxy(proxyURL, passwordFile: proxyPasswordFile)
        } catch {
            throw .usage(
                localized(
                    "The file %@ with the password of the proxy cannot be read.",
                    TerminalText.harmless(proxyPasswordFile)))
        }
    }

    private static func log(_ options: OptionParser.Result) throws(CommandError) -> LogFile? {
        guard let path = options["log"] else {
            guard options["log-level"] == nil else {
                throw .usage(localized("--log-level needs --log, which says where to write."))
            }
            return nil
        }
        do throws(LogFileError) {
            return try LogFile(path: path, level: options["log-level"] ?? "steps")
        } catch {
            throw .usage(error.message)
        }
    }

    private static func identity(_ options: OptionParser.Result) throws(CommandError) -> TLSIdentity? {
        guard let certificate = options["client-certificate"] else {
            guard options["client-key"] == nil else {
                throw .usage(localized("--client-key needs --client-certificate, which it belongs to."))
            }
            return nil
        }
        return TLSIdentity(
            certificateChainFile: certificate, privateKeyFile: options["client-key"] ?? certificate)
    }

    private static func trust(_ text: String?) throws(CommandError) -> Trust {
        guard let text else { return .authorities }
        if text == "ask" { return .ask }
        let digits = text.filter { $0 != ":" }.lowercased()
        guard digits.utf8.count == 64, digits.allSatisfy(\.isHexDigit) else {
            throw .usage(localized("The value of --trust is “ask” or a SHA-256 fingerprint of 64 hexadecimal digits."))
        }
        return .pinned(digits)
    }
}

/// How the user appears to contacts, and which contact requests are accepted automatically.
struct AvailabilityOptions {
    var presence: Presence
    var policy = RosterPolicy()

    static let options: [OptionParser.Option] = [
        .init("show", value: "online|chat|away|xa|dnd", "the presence that contacts see"),
        .init("status", value: "TEXT", "and its text"),
        .init("accept", value: "known|all|none", "accept contact requests of these automatically (known)"),
    ]

    init(_ options: OptionParser.Result) throws(CommandError) {
        presence = Presence()
        if let text = options["show"] {
            guard let show = PresenceText.shows[text] else {
                throw .usage(localized("“%@” is not a state; choose online, chat, away, xa or dnd.", text))
            }
            presence.show = show
        }
        if let status = options["status"] { presence.status = status }
        switch options["accept"] ?? "known" {
        case "known": policy.acceptsKnownRequests = true
        case "all": policy.acceptsAllRequests = true
        case "none": policy.acceptsKnownRequests = false
        case let other: throw .usage(localized("“%@” is not a value of --accept; use known, all or none.", other))
        }
    }
}
