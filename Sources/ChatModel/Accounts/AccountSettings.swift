internal import AccountRegistration
public import ChatEngine
internal import ChatStore
internal import Localization

/// What the user can change about an account, on its server and on this computer.
@MainActor
public struct AccountSettings {
    private let account: ChatAccount
    private let storage: any AccountStorage
    private let onProblem: (String) -> Void

    /// - Parameter onProblem: called with a message for the user when something could not be saved.
    init(_ account: ChatAccount, storage: any AccountStorage, onProblem: @escaping (String) -> Void) {
        self.account = account
        self.storage = storage
        self.onProblem = onProblem
    }

    /// What the files of the account need on this computer, in bytes; `nil` if they cannot be stored.
    public func mediaSize() async -> Int64? { await account.media?.size }

    /// Changes the password on the server and on this computer.
    public func changePassword(to password: String) async throws(SignInFailure) {
        guard !password.isEmpty else { throw SignInFailure(localized("Enter your password."), .password) }
        do {
            try await account.profile.changePassword(to: password)
            try await storage.save(password: password, of: account.address)
        } catch let error as RegistrationError {
            throw SignInFailure(Wording.failure(error), .password)
        } catch let error as AccountStorageError {
            throw SignInFailure(error.message)
        } catch {
            throw SignInFailure(Wording.failure(any: error))
        }
    }

    /// Sets the display name here and, once the account is online, for its contacts; empty for the one from its address.
    public func setDisplayName(_ name: String) async {
        let (id, name) = (account.id, name.trimmingWhitespace)
        do throws(StoreError) {
            try await account.store.write { writer throws(StoreError) in
                guard var account = try writer.accounts().first(where: { $0.id == id }) else { return }
                account.displayName = name.isEmpty ? nil : name
                try writer.update(account)
            }
        } catch {
            onProblem(Wording.failure(error))
        }
        try? await account.profile.publishNickname(name.isEmpty ? nil : name)
    }

    /// The policy with which the program encrypts from its next start on; `nil` if it is off.
    public func encryptionPolicy() async -> EncryptionPolicy? {
        await storage.encryption(of: account.address)?.policy
    }

    /// Saves whether the account encrypts, from the next start of the program on; `nil` turns its encryption off.
    public func setEncryption(_ policy: EncryptionPolicy?) async throws(AccountStorageError) {
        try await storage.save(encryption: policy, of: account.address)
    }
}
