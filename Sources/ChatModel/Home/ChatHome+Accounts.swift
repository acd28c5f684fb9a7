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

    /// Connects an account now instead of at the next time planned; also one that the server has refused.
    public func connectNow(_ id: AccountID) async {
        guard let work = atWork[id] else { return }
        if work.life == nil {
            goOnline(id)
        } else {
            await work.account.reconnectNow()
        }
    }

    /// Whether an account shall be online, now and after the next start.
    public func setEnabled(_ isEnabled: Bool, _ id: AccountID) async {
        guard let work = atWork[id] else { return }
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
        guard let work = atWork[id], work.life == nil else { return }
        work.life = Task { await self.live(work) }
    }

    private func live(_ work: AccountAtWork) async {
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
            // Whoever goes offline on purpose has cancelled this.
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

    private func ended(_ work: AccountAtWork, _ error: ClientError?) {
        guard !Task.isCancelled else { return }
        work.life = nil
        accounts.show(.offline(reason: error, nextAttempt: nil), of: work.account.id)
    }

    /// `nil` where there is no password.
    private func configuration(
        of work: AccountAtWork, _ evaluations: CertificateInquiry.Record
    ) async throws(AccountKeepingFailure) -> ClientConfiguration? {
        let address = work.account.address
        guard let password = try await keeper.password(of: address) else { return nil }
        let access = try await keeper.accesses().first { $0.address == address } ?? AccountAccess(address: address)
        var configuration = ClientConfiguration(address: address, password: password)
        // Nobody is asked while the program works by itself, but what was wrong is kept for the one who looks.
        let isTrustLimited = !access.trustedCertificates.isEmpty || !work.trustedForNow.isEmpty
        let question: TrustPolicy.Question = { evaluation in
            evaluations.note(evaluation)
            return false
        }
        access.apply(
            to: &configuration, trusted: work.trustedForNow, asking: isTrustLimited ? question : nil)
        if let installation = await keeper.installation(of: address) {
            configuration.userAgent = installation.userAgent
            configuration.fastToken = installation.token
            configuration.mechanisms.previousMechanism = installation.previousMechanism
            configuration.signInStore = installation.signInStore
        }
        configuration.reconnection = .standard
        prepare?(&configuration)
        return configuration
    }

    // MARK: Coming and going

    /// Keeps an account that the server has accepted, and puts it to work.
    func adopt(
        _ access: AccountAccess, password: String, trusting trusted: Set<[UInt8]>
    ) async throws(SignInFailure) -> AccountID {
        let id: AccountID
        do {
            try await keeper.save(password: password, of: access.address)
            try await keeper.save(access)
            id = try await store.write { writer throws(StoreError) in
                let id = try writer.addAccount(access.address)
                if var account = try writer.account(access.address), !account.isEnabled {
                    account.isEnabled = true
                    try writer.update(account)
                }
                return id
            }
        } catch let error as AccountKeepingFailure {
            throw SignInFailure(error.sentence)
        } catch {
            throw SignInFailure(Wording.failure(any: error))
        }
        await accounts.reload()
        if let work = atWork[id] { await work.goOffline() }
        accounts.show(AccountNeed?.none, of: id)
        await take(id, access.address, isEnabled: false)
        atWork[id]?.trustedForNow.formUnion(trusted)
        goOnline(id)
        return id
    }

    /// Signs an account out and removes everything about it from this computer: what was said, files, settings and password.
    /// On the server nothing changes.
    public func remove(_ id: AccountID) async {
        guard let work = atWork.removeValue(forKey: id) else { return }
        await work.end()
        await write { writer throws(StoreError) in try writer.removeAccount(id) }
        await accounts.reload()
        do throws(AccountKeepingFailure) {
            try await keeper.remove(work.account.address)
        } catch {
            problem = error.sentence
        }
    }

    /// Gives an account another password, on its server and here.
    public func changePassword(of id: AccountID, to password: String) async throws(SignInFailure) {
        guard let work = atWork[id] else { return }
        guard !password.isEmpty else { throw SignInFailure(localized("Enter your password."), .password) }
        do {
            try await work.account.profile.changePassword(to: password)
            try await keeper.save(password: password, of: work.account.address)
        } catch let error as RegistrationError {
            throw SignInFailure(Wording.failure(error), .password)
        } catch let error as AccountKeepingFailure {
            throw SignInFailure(error.sentence)
        } catch {
            throw SignInFailure(Wording.failure(any: error))
        }
    }

    /// What an account is called here and, once it is online, by its contacts; empty for what its address says.
    public func setDisplayName(_ name: String, of id: AccountID) async {
        let name = name.trimmingWhitespace
        await write { writer throws(StoreError) in
            guard var account = try writer.accounts().first(where: { $0.id == id }) else { return }
            account.displayName = name.isEmpty ? nil : name
            try writer.update(account)
        }
        try? await atWork[id]?.account.profile.publishNickname(name.isEmpty ? nil : name)
    }

    private func write(_ body: @escaping @Sendable (any StoreWriter) throws(StoreError) -> Void) async {
        do throws(StoreError) {
            try await store.write(body)
        } catch {
            problem = error.description
        }
    }

    // MARK: Invitations

    /// Becomes a contact of the one who has sent an invitation, as soon as the account is online (XEP-0379 §4).
    public func accept(_ invitation: AccountInvitation, as id: AccountID) {
        guard let inviter = invitation.contact, let account = atWork[id]?.account else { return }
        let token = invitation.token
        atWork[id]?.following.append(
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
    /// Fetches what the messages of an account offer, from servers that the account trusts; `nil` where its media cannot be
    /// kept.
    public func fetcher(of id: AccountID) async -> AttachmentFetcher? {
        guard let account = account(id), let media = media(of: id) else { return nil }
        let access = (try? await keeper.accesses())?.first { $0.address == account.address }
        var configuration = ClientConfiguration(address: account.address, password: "")
        (access ?? AccountAccess(address: account.address)).apply(
            to: &configuration, trusted: atWork[id]?.trustedForNow ?? [], asking: nil)
        return AttachmentFetcher(store: store, media: media, trust: configuration.trust)
    }
}
