internal import AccountRegistration
public import ChatEngine
public import ChatStore
internal import Localization
internal import SASLMechanisms
internal import TransportLayer
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStream

extension ChatHome {
    // MARK: Online and offline

    /// Connects an account now instead of waiting for the next attempt; also after the server rejected it.
    public func connectNow(_ id: AccountID) async {
        guard let work = running[id] else { return }
        if work.life == nil {
            goOnline(id)
        } else {
            await work.account.reconnectNow()
        }
    }

    /// Sets whether an account should be online, now and after the next start.
    public func setEnabled(_ isEnabled: Bool, _ id: AccountID) async {
        guard let work = running[id] else { return }
        await write { writer throws(StoreError) in
            guard var account = try writer.accounts().first(where: { $0.id == id }) else { return }
            account.isEnabled = isEnabled
            try writer.update(account)
        }
        if isEnabled {
            goOnline(id)
        } else {
            await work.goOffline()
            accounts.show(AccountNeed?.none, of: id)
            accounts.show(.offline(reason: nil, nextAttempt: nil), of: id)
        }
    }

    func goOnline(_ id: AccountID) {
        guard let work = running[id], work.life == nil else { return }
        work.life = Task { await self.live(work) }
    }

    private func live(_ work: RunningAccount) async {
        let id = work.account.id
        let evaluations = CertificateInquiry.Record()
        do {
            guard let configuration = try await configuration(of: work, evaluations) else {
                accounts.show(.password(isRejected: false), of: id)
                ended(work, nil)
                return
            }
            accounts.show(AccountNeed?.none, of: id)
            await work.account.use(configuration)
            try await work.account.run()
            ended(work, nil)
        } catch let error as ClientError {
            // Cancelled when the user goes offline.
            guard !Task.isCancelled else { return }
            switch error.streamFailure?.code {
            case .credentialsRejected?, .credentialsExpired?: accounts.show(.password(isRejected: true), of: id)
            case .certificateRejected?:
                accounts.show(
                    .certificate(
                        evaluations.last.map { Wording.failure($0) }
                            ?? localized("The server's certificate was not accepted.")), of: id)
            case .noAcceptableMechanism? where error.streamFailure?.saslError?.meansDowngrade == true:
                accounts.show(.downgrade, of: id)
            default: break
            }
            ended(work, error)
        } catch {
            guard !Task.isCancelled else { return }
            accounts.show(problem: Wording.failure(any: error), of: id)
            ended(work, nil)
        }
    }

    private func ended(_ work: RunningAccount, _ error: ClientError?) {
        guard !Task.isCancelled else { return }
        work.life = nil
        accounts.show(.offline(reason: error, nextAttempt: nil), of: work.account.id)
    }

    /// `nil` without a password.
    private func configuration(
        of work: RunningAccount, _ evaluations: CertificateInquiry.Record
    ) async throws(AccountStorageError) -> ClientConfiguration? {
        let address = work.account.address
        guard let password = try await accountStorage.password(of: address) else { return nil }
        let access =
            try await accountStorage.accesses().first { $0.address == address } ?? AccountAccess(address: address)
        var configuration = ClientConfiguration(address: address, password: password)
        // The user is not asked in the background; the reason for a rejection is recorded for the row of the account.
        let isTrustLimited = !access.trustedCertificates.isEmpty || !work.trustedForNow.isEmpty
        let question: TrustPolicy.Question = { evaluation in
            evaluations.note(evaluation)
            return false
        }
        access.apply(
            to: &configuration, trusted: work.trustedForNow, asking: isTrustLimited ? question : nil)
        if let installation = await accountStorage.installation(of: address) {
            configuration.userAgent = installation.userAgent
            configuration.fastToken = installation.token
            configuration.mechanisms.previousMechanism = installation.previousMechanism
            configuration.signInStore = installation.signInStore
        }
        configuration.reconnection = .standard
        prepare?(&configuration)
        return configuration
    }

    // MARK: Adding and removing

    /// Saves an account after a successful login, and starts it.
    func adopt(
        _ access: AccountAccess, password: String, trusting trusted: Set<[UInt8]>
    ) async throws(SignInFailure) -> AccountID {
        let id: AccountID
        do {
            try await accountStorage.save(password: password, of: access.address)
            try await accountStorage.save(access)
            id = try await store.write { writer throws(StoreError) in
                let id = try writer.addAccount(access.address)
                if var account = try writer.account(access.address), !account.isEnabled {
                    account.isEnabled = true
                    try writer.update(account)
                }
                return id
            }
        } catch let error as AccountStorageError {
            throw SignInFailure(error.message)
        } catch {
            throw SignInFailure(Wording.failure(any: error))
        }
        await accounts.reload()
        if let work = running[id] { await work.goOffline() }
        accounts.show(AccountNeed?.none, of: id)
        await take(id, access.address, isEnabled: false)
        running[id]?.trustedForNow.formUnion(trusted)
        goOnline(id)
        return id
    }

    /// Signs an account out and removes its messages, files, settings and password from this computer. Nothing changes
    /// on the server.
    public func remove(_ id: AccountID) async {
        guard let work = running.removeValue(forKey: id) else { return }
        await work.end()
        await write { writer throws(StoreError) in try writer.removeAccount(id) }
        await accounts.reload()
        do throws(AccountStorageError) {
            try await accountStorage.remove(work.account.address)
        } catch {
            onProblem(error.message)
        }
    }

    /// Deletes an account on its server permanently, and then everything about it on this computer.
    public func deleteOnServer(_ id: AccountID) async throws(SignInFailure) {
        guard let work = running[id] else { return }
        do {
            try await work.account.profile.deleteAccount()
        } catch {
            throw SignInFailure(Wording.failure(error))
        }
        await remove(id)
    }

    /// What the files of an account need on this computer, in bytes; `nil` if they cannot be stored.
    public func mediaSize(of id: AccountID) async -> Int64? { await running[id]?.media?.size }

    /// Changes the password of an account on its server and on this computer.
    public func changePassword(of id: AccountID, to password: String) async throws(SignInFailure) {
        guard let work = running[id] else { return }
        guard !password.isEmpty else { throw SignInFailure(localized("Enter your password."), .password) }
        do {
            try await work.account.profile.changePassword(to: password)
            try await accountStorage.save(password: password, of: work.account.address)
        } catch let error as RegistrationError {
            throw SignInFailure(Wording.failure(error), .password)
        } catch let error as AccountStorageError {
            throw SignInFailure(error.message)
        } catch {
            throw SignInFailure(Wording.failure(any: error))
        }
    }

    /// Sets the display name of an account here and, once it is online, for its contacts; empty for the one from its
    /// address.
    public func setDisplayName(_ name: String, of id: AccountID) async {
        let name = name.trimmingWhitespace
        await write { writer throws(StoreError) in
            guard var account = try writer.accounts().first(where: { $0.id == id }) else { return }
            account.displayName = name.isEmpty ? nil : name
            try writer.update(account)
        }
        try? await running[id]?.account.profile.publishNickname(name.isEmpty ? nil : name)
    }

    /// The policy with which the program encrypts for an account from its next start on; `nil` if it is off.
    public func encryptionPolicy(of id: AccountID) async -> EncryptionPolicy? {
        guard let address = running[id]?.account.address else { return nil }
        return await accountStorage.encryption(of: address)?.policy
    }

    /// Saves whether an account encrypts, from the next start of the program on; `nil` turns its encryption off.
    public func setEncryption(_ policy: EncryptionPolicy?, of id: AccountID) async throws(AccountStorageError) {
        guard let address = running[id]?.account.address else { return }
        try await accountStorage.save(encryption: policy, of: address)
    }

    private func write(_ body: @escaping @Sendable (any StoreWriter) throws(StoreError) -> Void) async {
        do throws(StoreError) {
            try await store.write(body)
        } catch {
            onProblem(Wording.failure(error))
        }
    }

    // MARK: Invitations

    /// Adds the contact of an invitation as soon as the account is online (XEP-0379 §4).
    public func accept(_ invitation: AccountInvitation, as id: AccountID) {
        guard let inviter = invitation.contact, let account = running[id]?.account else { return }
        let token = invitation.token
        running[id]?.following.append(
            Task {
                let events = account.events()
                if await account.connectionState.isOnline {
                    await account.contacts.acceptInvitation(of: inviter, token: token)
                    return
                }
                for await case .connection(.online) in events {
                    await account.contacts.acceptInvitation(of: inviter, token: token)
                    return
                }
            })
    }
}

extension ChatHome {
    /// Downloads the files of messages from servers that the account trusts; `nil` if its media cannot be stored.
    public func fetcher(of id: AccountID) async -> AttachmentFetcher? {
        guard let account = account(id), let media = media(of: id) else { return nil }
        let access = (try? await accountStorage.accesses())?.first { $0.address == account.address }
        var configuration = ClientConfiguration(address: account.address, password: "")
        (access ?? AccountAccess(address: account.address)).apply(
            to: &configuration, trusted: running[id]?.trustedForNow ?? [], asking: nil)
        return AttachmentFetcher(
            store: store, media: media, transfers: configuration.http,
            protection: running[id]?.account.protection ?? PlainContent())
    }
}
