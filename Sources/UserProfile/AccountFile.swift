internal import Foundation
public import XMPPAddress

/// The accounts that the person has signed in to: addresses and how to reach their servers, never a password.
///
/// A JSON file in `$XDG_CONFIG_HOME/hongyan` (or `~/.config/hongyan`) that only its owner can read, written whole and renamed
/// into place.
public struct AccountFile: Sendable {
    public struct Account: Codable, Equatable, Sendable {
        public var address: JID
        public var host: String?
        public var port: UInt16?
        public var certificateAuthority: String?
        public var usesDirectTLS: Bool?
        /// SHA-256 of certificates that the person has accepted, in hexadecimal digits.
        public var trustedCertificates: [String]?
        /// A random UUID by which the server knows this installation (XEP-0388 §2.3). Others are not told.
        public var userAgent: String?
        /// The SASL mechanism of the last login, below which no later one may fall; signing in again forgets it.
        public var lastMechanism: String?

        public init(
            address: JID, host: String? = nil, port: UInt16? = nil, certificateAuthority: String? = nil,
            usesDirectTLS: Bool? = nil, trustedCertificates: [String]? = nil, userAgent: String? = nil,
            lastMechanism: String? = nil
        ) {
            self.address = address.bare
            self.host = host
            self.port = port
            self.certificateAuthority = certificateAuthority
            self.usesDirectTLS = usesDirectTLS
            self.trustedCertificates = trustedCertificates
            self.userAgent = userAgent
            self.lastMechanism = lastMechanism
        }
    }

    private struct Content: Codable, Sendable {
        public var accounts: [Account] = []
        var current: JID?
    }

    public let path: String
    private var content: Content

    /// Reads the file; a missing one means no accounts.
    public init(directory: String = Self.defaultDirectory) throws(ProfileFailure) {
        path = directory + "/accounts.json"
        guard FileManager.default.fileExists(atPath: path) else {
            content = Content()
            return
        }
        do {
            content = try JSONDecoder().decode(Content.self, from: PrivateFile.read(path) ?? Data())
        } catch {
            throw .accountsUnreadable(path)
        }
    }

    public var accounts: [Account] { content.accounts }

    /// The account that commands use when none is named: the last one signed in to.
    public var current: Account? {
        content.accounts.first { $0.address == content.current } ?? content.accounts.last
    }

    public func account(_ address: JID) -> Account? {
        content.accounts.first { $0.address == address.bare }
    }

    public mutating func save(_ account: Account) throws(ProfileFailure) {
        content.accounts.removeAll { $0.address == account.address }
        content.accounts.append(account)
        content.current = account.address
        try write()
    }

    /// Saves an account that is there already; which one is the current one stays as it is.
    public mutating func change(_ account: Account) throws(ProfileFailure) {
        guard let index = content.accounts.firstIndex(where: { $0.address == account.address }) else { return }
        content.accounts[index] = account
        try write()
    }

    public mutating func remove(_ address: JID) throws(ProfileFailure) {
        content.accounts.removeAll { $0.address == address.bare }
        if content.current == address.bare { content.current = content.accounts.last?.address }
        try write()
    }

    private func write() throws(ProfileFailure) {
        do {
            let directory = (path as NSString).deletingLastPathComponent
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            guard PrivateFile.write(try encoder.encode(content), to: path) else {
                throw ProfileFailure.accountsUnwritable(path)
            }
        } catch {
            throw .accountsUnwritable(path)
        }
    }

    public static var defaultDirectory: String {
        let environment = ProcessInfo.processInfo.environment
        if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") { return base + "/hongyan" }
        return NSHomeDirectory() + "/.config/hongyan"
    }
}
