public import ChatEngine
public import ChatModel
public import ChatStore
public import CredentialStore
internal import Cryptography
internal import Foundation
internal import Localization
public import SASLMechanisms
public import XMPPAddress
public import XMPPClient
public import XMPPStream

/// The accounts of a profile: the list of accounts, passwords and tokens in the keyring, media in the profile's folder.
public final actor ProfileAccounts: AccountStorage {
    private let profile: Profile
    private let directory: String
    private let openCredentials: @Sendable () async throws(CredentialError) -> CredentialStore
    private var credentials: CredentialStore?

    /// - Parameters:
    ///   - directory: the folder of the list of accounts.
    ///   - credentials: opens the password store; called once.
    public init(
        profile: Profile, directory: String = AccountFile.defaultDirectory,
        credentials: @escaping @Sendable () async throws(CredentialError) -> CredentialStore = {
            () async throws(CredentialError) in try await CredentialStore.open()
        }
    ) {
        self.profile = profile
        self.directory = directory
        openCredentials = credentials
    }

    public func accesses() throws(AccountStorageError) -> [AccountAccess] {
        try file().accounts.map { AccountAccess($0) }
    }

    public func save(_ access: AccountAccess) throws(AccountStorageError) {
        var file = try file()
        var account = AccountFile.Account(access)
        account.userAgent = file.account(access.address)?.userAgent ?? UserAgent.newInstallation()?.id
        do throws(ProfileFailure) {
            try file.save(account)
        } catch {
            throw AccountStorageError(error.message)
        }
    }

    public func remove(_ account: JID) async throws(AccountStorageError) {
        profile.removeFiles(of: account)
        var file = try file()
        do throws(ProfileFailure) {
            try file.remove(account)
        } catch {
            throw AccountStorageError(error.message)
        }
        try await withCredentials { store throws(CredentialError) in
            try await store.removeLogin(for: account.bare.description)
            try await EncryptionKeys(account: account, profile: profile) { () async throws(CredentialError) in store }
                .remove()
        }
    }

    public func password(of account: JID) async throws(AccountStorageError) -> String? {
        try await withCredentials { store throws(CredentialError) in
            try await store.password(for: account.bare.description)
        }
    }

    public func save(password: String, of account: JID) async throws(AccountStorageError) {
        try await withCredentials { store throws(CredentialError) in
            try await store.save(password: password, for: account.bare.description)
            // The token belongs to the previous password.
            try await store.removeToken(for: account.bare.description)
        }
    }

    public func installation(of account: JID) async -> Installation? {
        guard var file = try? file(), let agent = (try? file.userAgent(of: account)) ?? nil else { return nil }
        let tokens = LoginTokens(account: account, directory: directory)
        let mechanism = file.account(account)?.lastMechanism.map { SASLMechanismName(rawValue: $0) }
        return Installation(
            userAgent: agent, token: await tokens.token, previousMechanism: mechanism, signInStore: tokens)
    }

    public func encryption(of account: JID) async -> OMEMOSettings? {
        guard let file = try? file() else { return nil }
        return EncryptionKeys(account: account, profile: profile, credentials: openCredentials).settings(file)
    }

    public func save(encryption: EncryptionPolicy?, of account: JID) throws(AccountStorageError) {
        var file = try file()
        do throws(ProfileFailure) {
            try file.setEncryption(encryption, of: account)
        } catch {
            throw AccountStorageError(error.message)
        }
    }

    public func caches(of account: JID) -> AccountCaches { profile.caches(of: account) }

    public func openMedia(of account: JID, waiting: [QueuedMessage]) async -> MediaCache? {
        try? await profile.openMedia(of: account, waiting: waiting)
    }

    public nonisolated func uploader(for media: MediaCache) -> any AttachmentUploader { ProfileUploader(media: media) }

    private func file() throws(AccountStorageError) -> AccountFile {
        do throws(ProfileFailure) {
            return try AccountFile(directory: directory)
        } catch {
            throw AccountStorageError(error.message)
        }
    }

    private func withCredentials<Result: Sendable>(
        _ body: (CredentialStore) async throws(CredentialError) -> Result
    ) async throws(AccountStorageError) -> Result {
        do throws(CredentialError) {
            let store: CredentialStore
            if let credentials {
                store = credentials
            } else {
                store = try await openCredentials()
                credentials = store
            }
            return try await body(store)
        } catch {
            throw AccountStorageError(Wording.failure(error))
        }
    }
}

extension AccountAccess {
    init(_ account: AccountFile.Account) {
        self.init(
            address: account.address, host: account.host, port: account.port,
            usesDirectTLS: account.usesDirectTLS ?? false, certificateAuthority: account.certificateAuthority,
            trustedCertificates: Set((account.trustedCertificates ?? []).compactMap { Hex.decode($0) }),
            proxy: account.proxy, proxyPasswordFile: account.proxyPasswordFile)
    }
}

extension AccountFile.Account {
    init(_ access: AccountAccess) {
        self.init(
            address: access.address, host: access.host, port: access.port,
            certificateAuthority: access.certificateAuthority, usesDirectTLS: access.usesDirectTLS ? true : nil,
            trustedCertificates: access.trustedCertificates.isEmpty
                ? nil : access.trustedCertificates.map { Hex.encode($0) }.sorted(),
            proxy: access.proxy, proxyPasswordFile: access.proxyPasswordFile)
    }
}

/// Saves the results of a login for the next one: the token that replaces the password (XEP-0484), in the password
/// store; and the mechanism, in the list of accounts.
public struct LoginTokens: SignInStore {
    let account: JID
    private let directory: String

    /// - Parameter directory: the folder of the list of accounts.
    public init(account: JID, directory: String = AccountFile.defaultDirectory) {
        self.account = account
        self.directory = directory
    }

    private var name: String { account.bare.description }

    /// The token of the last login; `nil` if there is none, or none that can be read. It is stored with the password.
    public var token: FASTToken? {
        get async {
            guard let text = try? await CredentialStore.open().token(for: name) else { return nil }
            return try? JSONDecoder().decode(FASTToken.self, from: Data(text.utf8))
        }
    }

    /// If the token cannot be saved, the next login uses the password.
    public func saveToken(_ token: FASTToken?) async {
        guard let store = try? await CredentialStore.open() else { return }
        guard let token, let data = try? JSONEncoder().encode(token) else {
            try? await store.removeToken(for: name)
            return
        }
        try? await store.save(token: String(decoding: data, as: UTF8.self), for: name)
    }

    /// Nothing is saved for an account that is not in the list. If the list cannot be written, the next login is
    /// protected like a first one, but not prevented.
    public func saveMechanism(_ mechanism: SASLMechanismName) async {
        guard var file = try? AccountFile(directory: directory), var entry = file.account(account) else { return }
        entry.lastMechanism = mechanism.rawValue
        try? file.change(entry)
    }
}
