internal import ChatStore
internal import Waiting
internal import XMPPStanzas

/// The protection of one account at work: whatever opens or seals messages does it in a ``ProtectionStep``, one after the other.
struct MessageProtector: Sendable {
    let protection: any ContentProtection
    /// How long opening one message may take; the later ones wait for it.
    var openingLimit: Duration = Self.standardLimit
    fileprivate let lock = AsyncLock()

    /// Opening is arithmetic and a few records of the store: what takes longer waits for something that does not come.
    static let standardLimit = Duration.seconds(10)

    init(_ protection: any ContentProtection) { self.protection = protection }
}

/// Messages that are opened or sealed, and the transaction that stores them with what the protection remembers.
///
/// No other step begins before this one is stored: otherwise its state could be stored with a later one, and a program that ends in
/// between could not open its messages when they come again. `store` or `discard` ends a step. A step without a sealed message
/// waits for nothing.
struct ProtectionStep: Sendable {
    let protector: MessageProtector
    private var changes: [ProtectionChange] = []
    private var isAlone = false

    init(_ protector: MessageProtector) { self.protector = protector }

    private mutating func beAlone() async {
        guard !isAlone else { return }
        await protector.lock.lock()
        isAlone = true
    }

    /// A message that cannot be opened, or not in time, is a message all the same.
    ///
    /// - Parameter route: `nil` for a message that belongs to no conversation; it is left as it is.
    mutating func open(_ message: Message, by route: ReceivedRoute?) async -> OpenedMessage {
        guard let route else { return OpenedMessage(message) }
        guard protector.protection.isSealed(message) else {
            return OpenedMessage(message, await protector.protection.protection(ofClear: message, by: route))
        }
        await beAlone()
        let opened =
            switch await protector.open(message, by: route) {
            case .success(let opened): opened.taking(claimsOf: opened.original ?? message)
            case .failure(let error): OpenedMessage(message, notOpenedBecauseOf: error)
            }
        if let change = opened.change { changes.append(change) }
        return opened
    }

    /// Seals for the devices that the recipients have now. A change of an error must be saved, too.
    mutating func seal(
        _ message: Message, in conversation: ConversationAddress
    ) async throws(ProtectionError) -> SealedMessage {
        do throws(ProtectionError) {
            // Servers are asked before this step holds up the others.
            try await protector.protection.prepare(conversation)
            await beAlone()
            let sealed = try await protector.protection.seal(message, in: conversation)
            if let change = sealed.change { changes.append(change) }
            return sealed
        } catch {
            if let change = error.change { changes.append(change) }
            throw error
        }
    }

    /// Does other work that the protection has, in its turn.
    mutating func perform<Result: Sendable>(
        _ body: @Sendable () async throws(ProtectionError) -> (Result, ProtectionChange?)
    ) async throws(ProtectionError) -> Result {
        await beAlone()
        do throws(ProtectionError) {
            let (result, change) = try await body()
            if let change { changes.append(change) }
            return result
        } catch {
            await discard()
            throw error
        }
    }

    /// Ends the step with a transaction, which also saves what the protection remembers.
    mutating func store<Result: Sendable>(
        of account: AccountID, in store: any LocalStore,
        _ body: @escaping @Sendable (any StoreWriter) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        do throws(StoreError) {
            let result = try await store.write { [changes] writer throws(StoreError) in
                let result = try body(writer)
                for change in changes { try writer.save(change, of: account) }
                return result
            }
            for change in changes { await protector.protection.stored(change) }
            leave()
            return result
        } catch {
            await discard()
            throw error
        }
    }

    /// Ends the step without a transaction.
    mutating func discard() async {
        // The last first, as each was made on top of the one before.
        for change in changes.reversed() { await protector.protection.discarded(change) }
        leave()
    }

    private mutating func leave() {
        changes = []
        guard isAlone else { return }
        isAlone = false
        protector.lock.leave()
    }
}

extension MessageProtector {
    fileprivate typealias Opening = Result<OpenedMessage, ProtectionError>

    /// In tasks of their own: a message is not given up because the task that has received it is cancelled.
    fileprivate func open(_ message: Message, by route: ReceivedRoute) async -> Opening {
        let (protection, limit) = (protection, openingLimit)
        let first = Promise<Opening?>()
        let work = Task {
            let result: Opening
            do throws(ProtectionError) {
                result = .success(try await protection.open(message, by: route))
            } catch {
                result = .failure(error)
            }
            first.fulfil(result)
            return result
        }
        let timer = Task {
            try await Task.sleep(for: limit)
            // What it has changed must not count while the next message is opened.
            work.cancel()
            first.fulfil(nil)
        }
        let result = await Task { await first.value(cancelled: nil) }.value
        timer.cancel()
        if let result { return result }
        Task {
            // It comes too late to be stored with its message.
            switch await work.value {
            case .success(let opened): if let change = opened.change { await protection.discarded(change) }
            case .failure(let error): if let change = error.change { await protection.discarded(change) }
            }
        }
        var error = ProtectionError(.timedOut, "Opening the message took longer than \(limit).")
        error.change = await protection.postponement(of: message, by: route)
        return .failure(error)
    }
}
