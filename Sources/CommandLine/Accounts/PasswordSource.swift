internal import ChatModel
internal import CredentialStore
internal import Foundation
internal import Glibc
internal import Localization
internal import TerminalApp
internal import TransportLayer
internal import UserProfile
internal import XMPPAddress

/// The source of a password: a file, the password store, or the user at the terminal.
enum PasswordSource: Sendable, Equatable {
    case file, store, person
    /// There is none.
    case missing
    /// A certificate whose key needs no passphrase replaces the password.
    case certificate

    /// Longer first lines are not passwords.
    private static let maximumByteCount = 4096

    /// The password of `account`.
    ///
    /// - Parameters:
    ///   - identity: the certificate that is used instead of a password; then the passphrase of its key is returned.
    ///   - asksTwice: for a new password, which cannot be checked otherwise.
    ///   - asksUser: whether the user is asked if there is none; otherwise it is empty and ``missing``.
    static func find(
        for account: JID, identity: TLSIdentity? = nil, file: String?, usesStore: Bool = true, asksTwice: Bool = false,
        asksUser: Bool = true
    ) async throws(CommandError) -> (password: String, source: PasswordSource) {
        if let identity, !identity.isKeyEncrypted { return ("", .certificate) }
        if let file = file ?? SystemService().passwordFile(of: account.bare.description) {
            return (try read(file), .file)
        }
        if usesStore, let kept = try await stored(for: account) { return (kept, .store) }
        guard asksUser else { return ("", .missing) }
        let prompt =
            identity.map { localized("Passphrase of %@: ", $0.privateKeyFile) }
            ?? localized("Password of %@: ", account.bare)
        return (try await ask(for: account, prompt, twice: asksTwice), .person)
    }

    private static func read(_ file: String) throws(CommandError) -> String {
        let handle = file == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: file)
        guard let data = try? handle?.read(upToCount: maximumByteCount) else {
            throw .failed(localized("The password file %@ cannot be read.", file))
        }
        let line = data.prefix { $0 != UInt8(ascii: "\n") }
        var password = String(decoding: line, as: UTF8.self)
        if password.hasSuffix("\r") { password.removeLast() }
        guard !password.isEmpty else { throw .failed(localized("The first line of %@ is empty.", file)) }
        return password
    }

    private static func stored(for account: JID) async throws(CommandError) -> String? {
        do {
            return try await CredentialStore.open().password(for: account.bare.description)
        } catch {
            // Not a reason to stop: the user can still enter the password.
            StandardOutput.report(Wording.failure(error))
            return nil
        }
    }

    private static func ask(
        for account: JID, _ prompt: String, twice: Bool
    ) async throws(CommandError) -> String {
        let first = await onOwnThread { TerminalMode.readSecret(prompt: prompt) }
        guard let first, !first.isEmpty else {
            throw CommandError(
                .authentication,
                localized("There is no password for %@; run `hongyan login`, or give --password-file.", account.bare))
        }
        guard twice else { return first }
        let again = localized("The same again: ")
        guard await onOwnThread({ TerminalMode.readSecret(prompt: again) }) == first else {
            throw .failed(localized("The two passwords differ; nothing was changed."))
        }
        return first
    }

    /// Saves a password that the server has accepted, and reports where.
    static func save(_ password: String, for account: JID) async -> String {
        do {
            let store = try await CredentialStore.open()
            try await store.save(password: password, for: account.bare.description)
            return Wording.storedPassword(in: store)
        } catch {
            return localized("The password could not be saved. %@", Wording.failure(error))
        }
    }

    /// Removes a password that the server has refused.
    static func forget(_ account: JID) async throws(CommandError) {
        do {
            try await CredentialStore.open().removeLogin(for: account.bare.description)
        } catch {
            throw .failed(Wording.failure(error))
        }
    }

    /// Removes the secrets of an account that leaves this computer: password, token, and the identity key in a profile.
    static func removeAll(of account: JID, in profile: Profile) async throws(CommandError) {
        do {
            try await CredentialStore.open().removeLogin(for: account.bare.description)
            try await EncryptionKeys(account: account, profile: profile).remove()
        } catch {
            throw .failed(Wording.failure(error))
        }
    }
}
