/// Where the passwords of accounts are kept: in the desktop's secret service, or where none runs in a file that only
/// its owner can read.
///
///     let store = try await CredentialStore.open()
///     print(store)                                    // says where, in words
///     try await store.save(password: "…", for: "juliet@example.org")
///
/// Every call that may block runs on a thread of its own and ends after ``timeout`` at the latest, so that a session
/// bus that hangs does not hang the program. An account is any text without U+0000; the bare address is the usual one.
/// The password is kept as it is given, as one prepared text. A token that stands in for it is kept beside it; in the
/// folder of the file it has a file of its own.
public struct CredentialStore: Sendable, CustomStringConvertible {
    /// The two kinds of place.
    public enum Kind: Sendable, Hashable {
        /// The secret service of the session (GNOME Keyring, KWallet, KeePassXC), through libsecret.
        case secretService
        /// A file with mode 0600 in a folder with mode 0700.
        case file(path: String)
    }

    /// How long a call may take where nothing else is said. A keyring may ask the person to unlock it, so it is long.
    public static let defaultTimeout = Duration.seconds(120)

    /// How long ``open(timeout:probeTimeout:)`` waits for a secret service to show up before it takes the file. Starting
    /// one over the bus takes below a second; a person waits for this at every start of a program.
    public static let defaultProbeTimeout = Duration.seconds(5)

    /// Which kind of place it is.
    public let kind: Kind
    /// How long a call may take.
    public let timeout: Duration
    private let place: Place
    private let isFallback: Bool

    private enum Place: Sendable {
        case secretService
        case folder(String)
    }

    /// The secret service where one answers within `probeTimeout`, else the file `passwords` in the folder `hongyan`
    /// of `XDG_DATA_HOME` (`~/.local/share`). The choice is made once; ``description`` tells it.
    public static func open(
        timeout: Duration = defaultTimeout, probeTimeout: Duration = defaultProbeTimeout
    ) async throws(CredentialError) -> CredentialStore {
        if SecretService.mayRun {
            let answer = await BlockingCall.run(timeout: probeTimeout) { SecretService.probe($0) }
            switch answer {
            case .success:
                return CredentialStore(
                    kind: .secretService, timeout: timeout, place: .secretService, isFallback: false)
            case .failure(let error) where error.code == .cancelled: throw error
            case .failure: break
            }
        }
        guard let folder = CredentialFile.defaultFolder else { throw CredentialError(.noDataFolder) }
        return CredentialStore(folder: folder, timeout: timeout, isFallback: true)
    }

    /// The file `passwords` in `folder`, an absolute path, whatever else runs. The folder is made when the first
    /// password is saved.
    public static func inFile(folder: String, timeout: Duration = defaultTimeout) -> CredentialStore {
        precondition(folder.hasPrefix("/"), "The folder of the passwords is an absolute path.")
        return CredentialStore(folder: folder, timeout: timeout, isFallback: false)
    }

    private init(kind: Kind, timeout: Duration, place: Place, isFallback: Bool) {
        self.kind = kind
        self.timeout = timeout
        self.place = place
        self.isFallback = isFallback
    }

    private init(folder: String, timeout: Duration, isFallback: Bool) {
        let path = CredentialFile(folder: folder, kind: .password).path
        self.init(kind: .file(path: path), timeout: timeout, place: .folder(folder), isFallback: isFallback)
    }

    /// Where passwords are kept, as a sentence for a person.
    public var description: String {
        switch kind {
        case .secretService: "The password is kept by the secret service of the desktop."
        case .file(let path) where isFallback:
            "No secret service runs; the password is kept in \(path), which only you can read."
        case .file(let path): "The password is kept in \(path), which only you can read."
        }
    }

    /// Keeps `password` for `account`, in place of the one of before.
    public func save(password: String, for account: String) async throws(CredentialError) {
        try await save(.password, password, for: account)
    }

    /// The password of `account`, or `nil` where none is kept.
    public func password(for account: String) async throws(CredentialError) -> String? {
        try await find(.password, of: account)
    }

    /// Keeps a token that stands in for the password at the next login (XEP-0484), in place of the one of before. It
    /// opens the account as the password does, and is kept in the same kind of place.
    public func save(token: String, for account: String) async throws(CredentialError) {
        try await save(.token, token, for: account)
    }

    /// The token of `account`, or `nil` where none is kept.
    public func token(for account: String) async throws(CredentialError) -> String? {
        try await find(.token, of: account)
    }

    /// Forgets the token of `account` and keeps the password; where none is kept nothing happens.
    public func removeToken(for account: String) async throws(CredentialError) {
        try await remove([.token], of: account)
    }

    /// Forgets password and token of `account`; where none is kept nothing happens.
    public func remove(for account: String) async throws(CredentialError) {
        try await remove(SecretKind.allCases, of: account)
    }

    private func save(
        _ kind: SecretKind, _ secret: String, for account: String
    ) async throws(CredentialError) {
        try check(account)
        guard !secret.utf8.contains(0) else { throw CredentialError(.invalidText) }
        try await call { place, call throws(CredentialError) in
            switch place {
            case .secretService: try SecretService.store(kind, secret, for: account, call)
            case .folder(let folder): try CredentialFile(folder: folder, kind: kind).update { $0[account] = secret }
            }
        }
    }

    private func find(_ kind: SecretKind, of account: String) async throws(CredentialError) -> String? {
        try check(account)
        return try await call { place, call throws(CredentialError) in
            switch place {
            case .secretService: try SecretService.lookup(kind, account, call)
            case .folder(let folder): try CredentialFile(folder: folder, kind: kind).secrets()[account]
            }
        }
    }

    private func remove(_ kinds: [SecretKind], of account: String) async throws(CredentialError) {
        try check(account)
        try await call { place, call throws(CredentialError) in
            for kind in kinds {
                switch place {
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
        _ body: @escaping @Sendable (Place, SecretServiceCall) throws(CredentialError) -> Value
    ) async throws(CredentialError) -> Value {
        let place = place
        let answer = await BlockingCall.run(timeout: timeout) { call in
            do throws(CredentialError) {
                return .success(try body(place, call))
            } catch {
                return .failure(error)
            }
        }
        return try answer.get()
    }
}
