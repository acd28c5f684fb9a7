public import ChatEngine
internal import Foundation
internal import Glibc
public import XMPPAddress
public import XMPPStream

/// The accounts that the user has signed in to: addresses and connection settings, never a password.
///
/// A JSON file in `$XDG_CONFIG_HOME/hongyan` (or `~/.config/hongyan`) that only its owner can read. It is written whole
/// and renamed into place.
public struct AccountFile: Sendable {
    public struct Account: Codable, Equatable, Sendable {
        public var address: JID
        public var host: String?
        public var port: UInt16?
        public var certificateAuthority: String?
        public var usesDirectTLS: Bool?
        /// SHA-256 of certificates that the user has accepted, in hexadecimal digits.
        public var trustedCertificates: [String]?
        /// A random UUID that identifies this installation to its server only (XEP-0388 §2.3).
        public var userAgent: String?
        /// The SASL mechanism of the last login, the weakest one that later logins may use; signing in again resets it.
        public var lastMechanism: String?
        /// The PEM files with which the account logs in instead of with a password (XEP-0178), by absolute paths.
        public var clientCertificate: String?
        public var clientKey: String?
        /// Whether messages are encrypted end to end: `always`, `whenPossible` or `never`, which still publishes keys and
        /// decrypts; `nil` is no encryption at all.
        public var encryption: EncryptionPolicy?
        /// The URL of the proxy for all connections of the account, without a password.
        public var proxy: String?
        /// The file with its password, by an absolute path.
        public var proxyPasswordFile: String?

        public init(
            address: JID, host: String? = nil, port: UInt16? = nil, certificateAuthority: String? = nil,
            usesDirectTLS: Bool? = nil, trustedCertificates: [String]? = nil, userAgent: String? = nil,
            lastMechanism: String? = nil, clientCertificate: String? = nil, clientKey: String? = nil,
            encryption: EncryptionPolicy? = nil, proxy: String? = nil, proxyPasswordFile: String? = nil
        ) {
            self.address = address.bare
            self.host = host
            self.port = port
            self.certificateAuthority = certificateAuthority
            self.usesDirectTLS = usesDirectTLS
            self.trustedCertificates = trustedCertificates
            self.userAgent = userAgent
            self.lastMechanism = lastMechanism
            self.clientCertificate = clientCertificate
            self.clientKey = clientKey
            self.encryption = encryption
            self.proxy = proxy
            self.proxyPasswordFile = proxyPasswordFile
        }
    }

    /// The encryption of accounts that are new in the list: messages are encrypted to everyone who can decrypt them.
    public static let standardEncryption = EncryptionPolicy.whenPossible

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

    /// The account that commands use by default: the last one signed in to.
    public var current: Account? {
        content.accounts.first { $0.address == content.current } ?? content.accounts.last
    }

    public func account(_ address: JID) -> Account? {
        content.accounts.first { $0.address == address.bare }
    }

    /// Saves an account after a login and makes it the current one. A known account keeps its setting for encryption,
    /// about which a login decides nothing; a new one gets ``standardEncryption``.
    public mutating func save(_ account: Account) throws(ProfileFailure) {
        var account = account
        let known = self.account(account.address)
        account.encryption = account.encryption ?? (known == nil ? Self.standardEncryption : known?.encryption)
        content.accounts.removeAll { $0.address == account.address }
        content.accounts.append(account)
        content.current = account.address
        try write()
    }

    /// Saves an existing account; the current account does not change.
    public mutating func change(_ account: Account) throws(ProfileFailure) {
        guard let index = content.accounts.firstIndex(where: { $0.address == account.address }) else { return }
        content.accounts[index] = account
        try write()
    }

    /// Sets whether messages are encrypted end to end; `nil` turns it off. Running programs notice it at their next start.
    public mutating func setEncryption(_ policy: EncryptionPolicy?, of address: JID) throws(ProfileFailure) {
        guard var account = account(address) else { return }
        account.encryption = policy
        try change(account)
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

/// A small file of the profile that only its owner may read, because it lists the user's accounts.
enum PrivateFile {
    /// Read and write for the owner only.
    private static let mode: mode_t = 0o600

    /// Replaces the whole file: writes a second file and renames it.
    ///
    /// - Returns: whether it succeeded; otherwise the file is unchanged.
    static func write(_ data: Data, to path: String) -> Bool {
        let new = path + ".new-" + UUID().uuidString
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { return false }
        var isWritten = fchmod(descriptor, mode) == 0
        var rest = data[...]
        while isWritten, !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            isWritten = count > 0
            rest = rest.dropFirst(max(0, count))
        }
        isWritten = close(descriptor) == 0 && isWritten
        isWritten = isWritten && rename(new, path) == 0
        if !isWritten { unlink(new) }
        return isWritten
    }

    /// The content; `nil` if there is no file. A file of an earlier release gets the permissions of a new one.
    static func read(_ path: String) -> Data? {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & 0o077 != 0 { chmod(path, mode) }
        return FileManager.default.contents(atPath: path)
    }
}

extension UserAgent {
    /// A new identity of this installation for the server of one account.
    public static func newInstallation() -> UserAgent? { installation(UUID().uuidString) }

    /// The user agent for the server, which may show it to the owner of the account in a list of devices.
    public static func installation(_ id: String) -> UserAgent? {
        var name = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
        let isKnown = gethostname(&name, name.count - 1) == 0
        let device = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return UserAgent(id: id, software: "Hongyan", device: isKnown && !device.isEmpty ? device : nil)
    }
}

extension AccountFile {
    /// The user agent of a stored account. It is created at the first use and never changes.
    public mutating func userAgent(of address: JID) throws(ProfileFailure) -> UserAgent? {
        guard var account = account(address) else { return nil }
        if let known = account.userAgent.flatMap(UserAgent.installation) { return known }
        let new = UserAgent.newInstallation()
        account.userAgent = new?.id
        try change(account)
        return new
    }
}
