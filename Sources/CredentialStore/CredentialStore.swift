/// The store for the passwords of accounts: the desktop's secret service or, if none is running, a file that only its
/// owner can read.
///
///     let store = try await CredentialStore.open()
///     print(store)                                    // says where, in words
///     try await store.save(password: "…", for: "juliet@example.org")
///
/// Every call that may block runs on a separate thread and ends after ``timeout`` at the latest, so a session bus that
/// hangs does not block the program. An account is any text without U+0000, usually the bare address. The password is
/// stored unchanged, as one prepared text. The token for the next login and the identity key for end-to-end encryption
/// are stored beside it; the file store has a file for each kind.
public struct CredentialStore: Sendable, CustomStringConvertible {
    /// The two kinds of password store.
    public enum Kind: Sendable, Hashable {
        /// The secret service of the session (GNOME Keyring, KWallet, KeePassXC), through libsecret.
        case secretService
        /// A file with mode 0600 in a folder with mode 0700.
        case file(path: String)
    }

    /// The default timeout of a call. It is long because a keyring may ask the user to unlock it.
    public static let defaultTimeout = Duration.seconds(120)

    /// How long ``open(timeout:probeTimeout:)`` waits for a secret service before it uses the file. Starting one over
    /// the bus takes less than a second; the user waits for this at every start of a program.
    public static let defaultProbeTimeout = Duration.seconds(5)

    /// The kind of this store.
    public let kind: Kind
    /// The timeout of a call.
    public let timeout: Duration
    private let backend: Backend
    /// Whether a file is used because no secret service responded: what is not in it may be in the keyring.
    public let isFallback: Bool

    private enum Backend: Sendable {
        case secretService
        case folder(String)
    }

    /// The secret service if one responds within `probeTimeout`, otherwise the file `passwords` in the folder `hongyan`
    /// of `XDG_DATA_HOME` (`~/.local/share`). The choice is made once; ``description`` names it.
    public static func open(
        timeout: Duration = defaultTimeout, probeTimeout: Duration = defaultProbeTimeout
    ) async throws(CredentialError) -> CredentialStore {
        if SecretService.mayRun {
            let answer = await BlockingCall.run(timeout: probeTimeout) { SecretService.probe($0) }
            switch answer {
            case .success:
                return CredentialStore(
                    kind: .secretService, timeout: timeout, backend: .secretService, isFallback: false)
            case .failure(let error) where error.code == .cancelled: throw error
            case .failure: break
            }
        }
        guard let folder = CredentialFile.defaultFolder else { throw CredentialError(.noDataFolder) }
        return CredentialStore(folder: folder, timeout: timeout, isFallback: true)
    }

    /// The stores in which an earlier start may have stored a secret: the file, if this is the secret service.
    public var others: [CredentialStore] {
        guard kind == .secretService, let folder = CredentialFile.defaultFolder else { return [] }
        return [CredentialStore(folder: folder, timeout: timeout, isFallback: false)]
    }

    /// The file `passwords` in `folder`, an absolute path, even if a secret service is running. The folder is created
    /// with the first password.
    package static func inFile(folder: String, timeout: Duration = defaultTimeout) -> CredentialStore {
        precondition(folder.hasPrefix("/"), "The folder of the passwords must be an absolute path.")
        return CredentialStore(folder: folder, timeout: timeout, isFallback: false)
    }

    private init(kind: Kind, timeout: Duration, backend: Backend, isFallback: Bool) {
        self.kind = kind
        self.timeout = timeout
        self.backend = backend
        self.isFallback = isFallback
    }

    private init(folder: String, timeout: Duration, isFallback: Bool) {
        let path = CredentialFile(folder: folder, kind: .password).path
        self.init(kind: .file(path: path), timeout: timeout, backend: .folder(folder), isFallback: isFallback)
    }

    /// Where passwords are stored, in English.
    public var description: String {
        switch kind {
        case .secretService: "The password is stored by the secret service of the desktop."
        case .file(let path) where isFallback:
            "No secret service is running; the password is stored in \(path), which only you can read."
        case .file(let path): "The password is stored in \(path), which only you can read."
        }
    }

    /// Stores `password` for `account` and replaces the previous one.
    public func save(password: String, for account: String) async throws(CredentialError) {
        try await save(.password, password, for: account)
    }

    /// The password of `account`, or `nil` if none is stored.
    public func password(for account: String) async throws(CredentialError) -> String? {
        try await find(.password, of: account)
    }

    /// Stores a token that replaces the password at the next login (XEP-0484), and replaces the previous token. It
    /// gives access to the account like the password and is stored in the same kind of place.
    public func save(token: String, for account: String) async throws(CredentialError) {
        try await save(.token, token, for: account)
    }

    /// The token of `account`, or `nil` if none is stored.
    public func token(for account: String) async throws(CredentialError) -> String? {
        try await find(.token, of: account)
    }

    /// Removes the token of `account` and leaves the password; does nothing if there is no token.
    public func removeToken(for account: String) async throws(CredentialError) {
        try await remove([.token], of: account)
    }

    /// Stores the secret identity key of this device for end-to-end encryption, as text, and replaces the previous one:
    /// who has it can speak for the device.
    public func save(identity: String, for account: String) async throws(CredentialError) {
        try await save(.identity, identity, for: account)
    }

    /// The identity key of `account` on this device, or `nil` if none is stored.
    public func identity(for account: String) async throws(CredentialError) -> String? {
        try await find(.identity, of: account)
    }

    /// Removes the identity key of `account`; does nothing if there is none.
    public func removeIdentity(for account: String) async throws(CredentialError) {
        try await remove([.identity], of: account)
    }

    /// Removes password and token of `account`, after a server has refused them, and leaves the identity key: a server
    /// must not be able to destroy it.
    public func removeLogin(for account: String) async throws(CredentialError) {
        try await remove([.password, .token], of: account)
    }

    /// Removes password, token and identity key of `account`; does nothing if there are none.
    public func remove(for account: String) async throws(CredentialError) {
        try await remove(SecretKind.allCases, of: account)
    }

    private func save(
        _ kind: SecretKind, _ secret: String, for account: String
    ) async throws(CredentialError) {
        try check(account)
        guard !secret.utf8.contains(0) else { throw CredentialError(.invalidText) }
        try await call { backend, call throws(CredentialError) in
            switch backend {
            case .secretService: try SecretService.store(kind, secret, for: account, call)
            case .folder(let folder): try CredentialFile(folder: folder, kind: kind).update { $0[account] = secret }
            }
        }
    }

    private func find(_ kind: SecretKind, of account: String) async throws(CredentialError) -> String? {
        try check(account)
        return try await call { backend, call throws(CredentialError) in
            switch backend {
            case .secretService: try SecretService.lookup(kind, account, call)
            case .folder(let folder): try CredentialFile(folder: folder, kind: kind).secrets()[account]
            }
        }
    }

    private func remove(_ kinds: [SecretKind], of account: String) async throws(CredentialError) {
        try check(account)
        try await call { backend, call throws(CredentialError) in
            for kind in kinds {
                switch backend {
                case .secretService: try SecretService.clear(kind, account, call)
                case .folder(let folder):
                    let file = CredentialFile(folder: folder, kind: kind)
                    guard try file.secrets()[account] != nil else { continue }
                    try file.update { $0[account] = nil }
                }
            }
        }
    }

    private func check(_ account: String) throws(CredentialError) {
        guard !account.isEmpty, !account.utf8.contains(0) else { throw CredentialError(.invalidText) }
    }

    private func call<Value: Sendable>(
        _ body: @escaping @Sendable (Backend, SecretServiceCall) throws(CredentialError) -> Value
    ) async throws(CredentialError) -> Value {
        let backend = backend
        let answer = await BlockingCall.run(timeout: timeout) { call in
            do throws(CredentialError) {
                return .success(try body(backend, call))
            } catch {
                return .failure(error)
            }
        }
        return try answer.get()
    }
}

/// The kinds of secrets of an account, stored separately so that one can be replaced without the other.
enum SecretKind: String, Sendable, CaseIterable {
    /// The password that the user knows.
    case password
    /// The token that the server issued for the next login (XEP-0484).
    case token
    /// The secret identity key of this device for end-to-end encryption.
    case identity = "identity-key"

    /// The name of the file if no secret service is running, and, after `hongyan-`, the first word of its content.
    var fileName: String { rawValue + "s" }
}
