import Foundation
import SASLMechanisms
import TransportLayer
import XMPPAddress

extension ClientConfiguration {
    /// The settings of a program in variables of its environment, as services have them:
    ///
    /// | variable | setting |
    /// | --- | --- |
    /// | `XMPP_JID` | the address of the account |
    /// | `XMPP_PASSWORD_FILE` | the file whose first line is the password |
    /// | `CREDENTIALS_DIRECTORY` | otherwise its file `password` (`LoadCredential=` of systemd) |
    /// | `XMPP_CERTIFICATE`, `XMPP_KEY` | PEM files of a client certificate and its key; the password is its passphrase then |
    /// | `XMPP_HOST`, `XMPP_PORT` | the server, if DNS does not know it |
    /// | `XMPP_CA` | PEM file of trusted authorities |
    /// | `XMPP_PROXY` | the URL of a proxy: `socks5h://127.0.0.1:9050` |
    /// | `XMPP_LOG` | the level of a ``SessionLog`` on standard error: `failures`, `steps`, `stanzas` or `wire` |
    ///
    /// A password in a variable of its own could be read by every process of the user, so there is none.
    ///
    /// - Parameter variables: those of the process by default.
    /// - Throws: an error that names the variable.
    public static func environment(
        _ variables: [String: String]? = nil
    ) throws -> ClientConfiguration {
        let variables = variables ?? ProcessInfo.processInfo.environment
        guard let text = variables["XMPP_JID"] else { throw SettingError(description: "XMPP_JID is not set.") }
        let address = try named("XMPP_JID") { try JID(text) }
        var password: String?
        if let file = variables["XMPP_PASSWORD_FILE"] {
            password = try firstLine(of: file, "XMPP_PASSWORD_FILE")
        } else if let folder = variables["CREDENTIALS_DIRECTORY"] {
            password = try firstLine(of: folder + "/password", "CREDENTIALS_DIRECTORY")
        }
        var configuration: ClientConfiguration
        if let certificate = variables["XMPP_CERTIFICATE"] {
            configuration = ClientConfiguration(
                address: address,
                identity: TLSIdentity(
                    certificateChainFile: certificate, privateKeyFile: variables["XMPP_KEY"] ?? certificate,
                    passphrase: password))
        } else {
            guard let password else { throw SettingError(description: "XMPP_PASSWORD_FILE is not set.") }
            configuration = ClientConfiguration(address: address, password: password)
        }
        configuration.host = variables["XMPP_HOST"]
        if let text = variables["XMPP_PORT"] {
            guard let port = UInt16(text) else { throw SettingError(description: "XMPP_PORT is not a port: \(text)") }
            configuration.port = port
        }
        if let file = variables["XMPP_CA"] { configuration.trust = .certificateAuthority(file) }
        if let url = variables["XMPP_PROXY"] { configuration.proxy = try named("XMPP_PROXY") { try Proxy(url) } }
        if let text = variables["XMPP_LOG"] {
            guard let level = SessionLog.Level(name: text) else {
                throw SettingError(description: "XMPP_LOG is not a level: \(text)")
            }
            configuration.add { session in
                SessionLog(session, level) { _, line in FileHandle.standardError.write(Data("\(line)\n".utf8)) }
            }
        }
        return configuration
    }

    private static func firstLine(of file: String, _ name: String) throws -> String {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
            throw SettingError(description: "\(name): \(file) cannot be read.")
        }
        return String(text.prefix { !$0.isNewline })
    }

    private static func named<Value>(_ name: String, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw SettingError(description: "\(name): \(error)") }
    }
}

extension ComponentConfiguration {
    /// The settings of a component in variables of its environment: `XMPP_COMPONENT` (its domain), `XMPP_SECRET_FILE` or the file
    /// `secret` in `CREDENTIALS_DIRECTORY`, `XMPP_COMPONENT_HOST`, `XMPP_COMPONENT_PORT`, and `XMPP_LOG` as for
    /// ``ClientConfiguration/environment(_:)``.
    ///
    /// - Throws: an error that names the variable.
    public static func environment(
        _ variables: [String: String]? = nil
    ) throws -> ComponentConfiguration {
        let variables = variables ?? ProcessInfo.processInfo.environment
        guard let domain = variables["XMPP_COMPONENT"] else {
            throw SettingError(description: "XMPP_COMPONENT is not set.")
        }
        var settings = variables
        settings["XMPP_JID"] = domain
        settings["XMPP_PASSWORD_FILE"] =
            variables["XMPP_SECRET_FILE"] ?? variables["CREDENTIALS_DIRECTORY"].map { $0 + "/secret" }
        settings["XMPP_CERTIFICATE"] = nil
        let common = try ClientConfiguration.environment(settings)
        var configuration = ComponentConfiguration(domain: common.address, secret: common.credentials.password ?? "")
        if let host = variables["XMPP_COMPONENT_HOST"] { configuration.host = host }
        if let text = variables["XMPP_COMPONENT_PORT"] {
            guard let port = UInt16(text) else {
                throw SettingError(description: "XMPP_COMPONENT_PORT is not a port: \(text)")
            }
            configuration.port = port
        }
        configuration.extensions = common.extensions
        return configuration
    }
}
