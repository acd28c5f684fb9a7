public import ChatEngine
internal import ChatModel
internal import ChatStore
internal import Foundation
internal import JSONRPC
internal import MessageFeatures
public import XMPPAddress
internal import XMPPClient

/// Executes orders of scripts (``SendOrder``) with an account: stores and queues the message like one written in the
/// chat, and then waits for its result.
public struct MessageSending: Sendable {
    private let account: ChatAccount
    /// Whether the account is starting to connect, so that it does not count as offline yet.
    private let isStarting: Bool

    public init(_ account: ChatAccount, isStarting: Bool = false) {
        self.account = account
        self.isStarting = isStarting
    }

    /// The timeout of an upload, in seconds: the largest file needs 115 KiB per second.
    private static let uploadTime = 15 * 60

    private enum Outcome: Sendable {
        /// `nil` for a removed message.
        case state(MessageState?)
        case offline(ClientError?)
        case uploadFailed
        case late
        case failure(SendFailure)
    }

    /// Sends a message, and waits until it has reached the state requested by the order.
    ///
    /// If the task is cancelled, the message stays in the queue, where the same order finds it again.
    public func perform(
        _ order: SendOrder, progress: @escaping @Sendable (SendStep) -> Void = { _ in }
    ) async throws(SendFailure) -> SendAnswer {
        // Before the first suspension, so that no change of the connection is missed.
        let events = account.events()
        if order.isEncrypted == true { try await requireEncryption(order) }
        let message = try await queue(order)
        progress(SendStep(.queued))
        func answer(_ stage: SendOrder.Goal, reason: String? = nil) async -> SendAnswer {
            let read = try? await account.store.read { reader throws(StoreError) in try reader.message(message) }
            let sent = stage == .queued ? nil : read ?? nil
            return SendAnswer(
                id: order.id, message: message.rawValue, stage: stage, reason: reason, protection: sent?.protection,
                unreadable: sent?.unreadable)
        }
        if order.goal == .queued { return await answer(.queued) }
        let first = await race(
            order.file == nil ? order.timeout : max(order.timeout, Self.uploadTime),
            [
                { await self.state(of: message) { $0 != .queued } },
                { await self.offline(events) },
                { await self.failedUpload(of: message, order, progress) },
            ])
        var state = MessageState.queued
        switch first {
        case .state(let reached?): state = reached
        case .state(nil): throw SendFailure(.interrupted)
        case .failure(let failure): throw failure
        case .offline(let cause):
            let text = cause.map { Wording.failure($0, domain: account.address.domain) }
            if order.waitsOffline, (cause?.exitClass ?? .connection) == .connection {
                return await answer(.queued, reason: text ?? "")
            }
            throw await withdraw(message, SendFailure(.offline, cause: cause, text: text))
        case .uploadFailed:
            let reason = FailureReason(.notSent, condition: AttachmentFailure.Code.uploadFailed.rawValue)
            throw await withdraw(message, SendFailure(.failed, reason: reason))
        case .late: throw await withdraw(message, SendFailure(.late))
        }
        // An immediate error arrives before the response to this.
        try? await account.settle()
        if case .state(let now?) = await self.state(of: message, { _ in true }) { state = now }
        try await check(state, message)
        progress(SendStep(.acknowledged))
        guard order.goal == .delivered, !state.isDelivered else {
            return await answer(state.isDelivered ? .delivered : .acknowledged)
        }
        let second = await race(
            order.timeout,
            [
                { await self.state(of: message) { $0.isDelivered || $0.isFailed } }
            ])
        guard case .state(let arrived?) = second else { throw SendFailure(.undelivered) }
        try await check(arrived, message)
        progress(SendStep(.delivered))
        return await answer(.delivered)
    }

    /// Makes sure that the message is encrypted or fails, whatever servers answer later.
    ///
    /// Without a connection that is possible only where messages were encrypted before.
    private func requireEncryption(_ order: SendOrder) async throws(SendFailure) {
        guard let encryption = account.encryption else { throw SendFailure(.notEncrypted) }
        let conversation: ConversationAddress
        do throws(StoreError) {
            conversation = try await account.conversation(with: order.to).conversation
        } catch {
            throw SendFailure(.store, text: Wording.failure(error))
        }
        let connection = await account.firstConnection(isStarting: isStarting, seconds: order.timeout)
        if connection.isOnline { await encryption.waitUntilPublished() }
        let forecast = await encryption.forecast(for: conversation, isSending: true)
        switch forecast.outcome {
        case .encrypted:
            do {
                try await encryption.endClearText(in: conversation)
            } catch {
                throw SendFailure(.store)
            }
        case .unknown, .stranger, .waits:
            guard (try? await encryption.refusesClearText(in: conversation)) != true else { return }
            if case .offline(let cause) = connection {
                throw SendFailure(
                    .offline, cause: cause, text: cause.map { Wording.failure($0, domain: account.address.domain) })
            }
            throw SendFailure(.notEncrypted, reason: FailureReason(notSealed: .unreachable))
        case .refused(let code), .clear(.room(let code)):
            throw SendFailure(.notEncrypted, reason: FailureReason(notSealed: code))
        case .clear(.noDevice): throw SendFailure(.notEncrypted, reason: FailureReason(notSealed: .noDevice))
        case .clear(.policy), .clear(.withoutEncryption): throw SendFailure(.notEncrypted)
        }
    }

    private func check(_ state: MessageState, _ message: MessageID) async throws(SendFailure) {
        guard case .failed(let reason) = state else { return }
        let failure = SendFailure(.failed, reason: reason)
        // A message that was never sent is not saved; a rejected one is in the history with its reason.
        if reason.kind == .notSent { try? await account.cancel(message) }
        throw failure
    }

    /// Queues the message.
    private func queue(_ order: SendOrder) async throws(SendFailure) -> MessageID {
        do throws(StoreError) {
            let key = try await account.conversation(with: order.to)
            if key.kind != .direct { await account.rooms.visit(key.address.bare) }
            guard let file = order.file else {
                return try await account.send(try await content(of: order, in: key), in: key, id: order.id)
            }
            guard let media = account.media else { throw StoreError(.cannotOpen, "") }
            let hash = try await media.insert(contentsOf: file.path)
            await media.pin(hash)
            let size = (try? FileManager.default.attributesOfItem(atPath: file.path))?[.size] as? NSNumber
            var attachment = Attachment(
                kind: .init(mediaType: file.mediaType), mediaType: file.mediaType, name: file.name,
                size: size?.int64Value, width: file.width,
                height: file.height, duration: file.milliseconds.map { Int64($0) }, contentHash: hash.description,
                isLocal: true)
            if file.isInline { attachment.url = attachment.inlineURL }
            let content = try await content(of: order, in: key, [attachment])
            do throws(StoreError) {
                let message = try await account.send(content, in: key, id: order.id)
                await media.unpin(hash)
                return message
            } catch {
                await media.unpin(hash)
                throw error
            }
        } catch {
            if error == Self.noTarget { throw SendFailure(.target) }
            if error == .reactionsNotAccepted {
                throw SendFailure(.failed, reason: FailureReason(.notSent, condition: "not-acceptable"))
            }
            throw SendFailure(error.code == .invalidRequest ? .file : .store, text: Wording.failure(error))
        }
    }

    /// The error for a message that does not exist or cannot be changed.
    private static let noTarget = StoreError(.invalidRequest, "There is no such message to refer to.")

    private func content(
        of order: SendOrder, in key: ConversationKey, _ attachments: [Attachment] = []
    ) async throws(StoreError) -> MessageContent {
        var text = MessageText(order.text, attachments: attachments)
        switch order.act {
        case nil: return .text(text)
        case .reply(let message):
            text.reply = try await reference(to: message, for: .reply, in: key)
            return .text(text)
        case .correct(let message):
            return .correction(of: try await reference(to: message, for: .correction, in: key), text)
        case .retract(let message):
            return .retraction(of: try await reference(to: message, for: .retraction, in: key))
        case .react(let message, let emojis):
            return .reactions(
                to: try await reference(to: message, for: .reaction, in: key), emojis.map(MessageReactions.qualified))
        }
    }

    /// - Throws: ``noTarget``.
    private func reference(
        to number: Int64, for purpose: MessageIdentity.Purpose, in key: ConversationKey
    ) async throws(StoreError) -> TargetReference {
        let target = try await account.store.read { store throws(StoreError) -> StoredMessage? in
            guard let message = try store.message(MessageID(rawValue: number)),
                try store.conversation(key) == message.conversation
            else { return nil }
            return message
        }
        let mustBeOwn = purpose == .correction || purpose == .retraction
        guard let target, !target.isRetracted, !mustBeOwn || target.isOutgoing && target.state.isWithServer,
            purpose != .correction || !target.protection.isNotOpened,
            let reference = target.reference(in: key, for: purpose)
        else { throw Self.noTarget }
        return reference
    }

    /// Removes a message that was not delivered, so that the script can send it again.
    private func withdraw(_ message: MessageID, _ failure: SendFailure) async -> SendFailure {
        let entry = try? await account.store.read { reader throws(StoreError) in try reader.queued(message) }
        // A message that was passed to a connection may have arrived.
        guard let entry = entry ?? nil,
            entry.attempts == 0 || entry.message.text.attachments.contains(where: { $0.url == nil })
        else {
            return SendFailure(.unconfirmed)
        }
        try? await account.cancel(message)
        return failure
    }

    // MARK: Outcomes

    private func state(
        of message: MessageID, _ isReached: @escaping @Sendable (MessageState) -> Bool
    ) async -> Outcome {
        do throws(StoreError) {
            return .state(try await account.state(of: message, when: isReached))
        } catch {
            return .failure(SendFailure(.store, text: Wording.failure(error)))
        }
    }

    /// Returns when there is no connection, and none is about to be made.
    private func offline(_ events: AsyncStream<ChatAccountEvent>) async -> Outcome? {
        var wasOnline = false
        switch await account.connectionState {
        case .online: wasOnline = true
        case .connecting: break
        case .offline(let reason, _): if reason != nil || !isStarting { return .offline(reason) }
        }
        for await event in events {
            switch event {
            case .connection(.online): wasOnline = true
            // A lost connection is established again, and the message is sent then.
            case .connection(.offline(let reason?, let next)) where !wasOnline || next == nil: return .offline(reason)
            default: break
            }
        }
        return nil
    }

    /// Reports the progress of the upload, and returns when it has failed: the queue would retry it later.
    private func failedUpload(
        of message: MessageID, _ order: SendOrder, _ progress: @escaping @Sendable (SendStep) -> Void
    ) async -> Outcome? {
        guard let file = order.file, !file.isInline else { return nil }
        var hasBegun = false
        for await step in account.uploads.values(of: message, at: 0) {
            if let step {
                hasBegun = true
                if let percent = step.percent { progress(SendStep(.uploading, percent: percent)) }
            } else if hasBegun {
                let stored = try? await account.store.read { reader throws(StoreError) in try reader.message(message) }
                if let stored = stored ?? nil, stored.state == .queued, stored.text.attachments.first?.url == nil {
                    return .uploadFailed
                }
            }
        }
        return nil
    }

    /// The first result of the jobs; ``Outcome/late`` after this number of seconds.
    private func race(_ seconds: Int, _ jobs: [@Sendable () async -> Outcome?]) async -> Outcome {
        await withTaskGroup(of: Outcome?.self) { group in
            for job in jobs { group.addTask(operation: job) }
            group.addTask {
                do {
                    try await Task.sleep(for: .seconds(seconds))
                    return .late
                } catch {
                    return .failure(SendFailure(.interrupted))
                }
            }
            defer { group.cancelAll() }
            for await outcome in group {
                if let outcome { return outcome }
            }
            return .failure(SendFailure(.interrupted))
        }
    }
}

extension FailureReason {
    /// A message that was not sent because it could not be encrypted.
    fileprivate init(notSealed code: ProtectionError.Code) {
        self.init(.notSent, condition: Self.notSealed + code.rawValue)
    }
}

extension MessageState {
    /// Whether a device of the receiver has it.
    fileprivate var isDelivered: Bool {
        switch self {
        case .delivered, .displayed: true
        case .queued, .sentToServer, .failed: false
        }
    }

    /// Whether the server has it; otherwise it can be cancelled.
    fileprivate var isWithServer: Bool {
        switch self {
        case .sentToServer, .delivered, .displayed: true
        case .queued, .failed: false
        }
    }

    fileprivate var isFailed: Bool { if case .failed = self { true } else { false } }
}

extension ProfileMethod {
    /// `send`: sends one message with an account of the program that uses the profile.
    ///
    /// - Parameters:
    ///   - isStarting: accounts that are not connected yet begin to connect now, so that an order waits for that.
    ///   - account: finds the account by its bare address.
    public static func send(
        isStarting: Bool = false, _ account: @escaping @Sendable (JID) async -> ChatAccount?
    ) -> ProfileMethod {
        ProfileMethod("send") { (order: SendOrder, request) async throws(JSONRPCError) -> SendAnswer in
            guard let account = await account(order.account.bare) else { throw SendFailure(.account).fault }
            do throws(SendFailure) {
                return try await MessageSending(account, isStarting: isStarting).perform(order) {
                    request.notify("stage", $0)
                }
            } catch {
                throw error.fault
            }
        }
    }
}
