internal import Foundation
internal import XMPPAddress

/// The accounts that the person has signed in to: addresses and how to reach their servers, never a password.
///
/// A JSON file in `$XDG_CONFIG_HOME/hongyan` (or `~/.config/hongyan`), written whole and renamed into place.
struct AccountFile {
    struct Account: Codable, Equatable {
        var address: JID
        var host: String?
        var port: UInt16?
        var certificateAuthority: String?
        var usesDirectTLS: Bool?
        /// SHA-256 of certificates that the person has accepted, in hexadecimal digits.
        var trustedCertificates: [String]?
    }

    private struct Content: Codable {
        var accounts: [Account] = []
        var current: JID?
    }

    let path: String
    private var content: Content

    /// Reads the file; a missing one means no accounts.
    init(directory: String = Self.defaultDirectory) throws(CommandError) {
        path = directory + "/accounts.json"
        guard FileManager.default.fileExists(atPath: path) else {
            content = Content()
            return
        }
        do {
            content = try JSONDecoder().decode(Content.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw .failed(localized("The list of accounts in %@ cannot be read; repair or remove it.", path))
        }
    }

    var accounts: [Account] { content.accounts }

    /// The account that commands use when none is named: the last one signed in to.
    var current: Account? {
        content.accounts.first { $0.address == content.current } ?? content.accounts.last
    }

    func account(_ address: JID) -> Account? {
        content.accounts.first { $0.address == address.bare }
    }

    mutating func save(_ account: Account) throws(CommandError) {
        content.accounts.removeAll { $0.address == account.address }
        content.accounts.append(account)
        content.current = account.address
        try write()
    }

    mutating func remove(_ address: JID) throws(CommandError) {
        content.accounts.removeAll { $0.address == address.bare }
        if content.current == address.bare { content.current = content.accounts.last?.address }
        try write()
    }

    private func write() throws(CommandError) {
        do {
            let directory = (path as NSString).deletingLastPathComponent
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try encoder.encode(content).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw .failed(localized("The list of accounts cannot be written to %@.", path))
        }
    }

    static var defaultDirectory: String {
        let environment = ProcessInfo.processInfo.environment
        if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") { return base + "/hongyan" }
        return NSHomeDirectory() + "/.config/hongyan"
    }
}
