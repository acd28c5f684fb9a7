internal import ChatStore
internal import EndToEndEncryption
internal import FileSharing
internal import GroupChat
internal import MessageFeatures
internal import OMEMO
internal import XMLStreaming
internal import XMPPAddress
internal import XMPPStanzas

/// Opens encrypted messages: finds the sender's device and the session, and checks what was decrypted.
struct MessageOpening: Sendable {
    let context: EncryptionContext
    let sessions: SessionDecryption
    let keyTrust: KeyTrust
    let repair: SessionRepair
    let copies: CopyExchange
    let postponed: PostponedMessages
    let strangers: Strangers
    let occupants: OccupantAccounts

    func open(_ message: Message, by route: ReceivedRoute) async throws(ProtectionError) -> OpenedMessage {
        var draft = KeyDraft(context.memory)
        let element: OMEMOElement
        do throws(ProtectionError) {
            element = try self.element(of: message, by: route)
        } catch {
            var error = error
            if error.code == .ownKeys {
                await postponed.add(message, route, &draft)
                error.change = draft.finish()
            }
            guard message.body == nil, !message.hasOMEMOPayload else { throw error }
            return OpenedMessage(message.withoutEncryption, change: error.change)
        }
        do throws(ProtectionError) {
            var opened = try await open(element, of: message, by: route, &draft)
            guard !Task.isCancelled else { throw ProtectionError(.timedOut, "Opening was cancelled.") }
            let isWorkDue = Self.isWorkDue(after: draft)
            opened.change = draft.finish()
            if isWorkDue { context.work.send() }
            return opened
        } catch {
            var error = error
            error.scheme = element.generation.namespace
            // The next message is opened already, and nothing of this one may count.
            guard !Task.isCancelled else { throw error }
            let isWorkDue = Self.isWorkDue(after: draft)
            error.change = draft.finish()
            if isWorkDue { context.work.send() }
            // An empty message has no text, so its loss is not shown.
            guard element.payload != nil else {
                return OpenedMessage(message.withoutEncryption, change: error.change)
            }
            throw error
        }
    }

    /// Whether a one-time key was used, or there is something to send to a device.
    private static func isWorkDue(after draft: KeyDraft) -> Bool {
        [OwnPreKey.prefix, OwedMessage.prefix, MissingMessage.prefix, RequestedCopies.prefix].contains(
            where: draft.changes)
    }

    /// The element of the newest generation that is for this device.
    private func element(of message: Message, by route: ReceivedRoute) throws(ProtectionError) -> OMEMOElement {
        let own = try context.own()
        var newest: OMEMOGeneration?
        for name in OMEMOElement.names {
            guard let element = message.payloads.first(name) else { continue }
            guard let read = try? OMEMOElement(from: element) else { continue }
            newest = newest ?? read.generation
            if !keys(in: read, for: own.keys.device).isEmpty { return read }
        }
        guard let newest else { throw ProtectionError(.damaged, "The encrypted element cannot be read.") }
        throw ProtectionError(
            .otherDevice, "The message is not encrypted for this device.", scheme: newest.namespace)
    }

    /// Each is tried with all sessions, so that a sender must not write many. In the current generation a device has one; in the legacy one
    /// other accounts may have a device with the same number.
    private func keys(in element: OMEMOElement, for device: OMEMODevice) -> ArraySlice<OMEMOElement.RecipientKey> {
        element.keys(for: device) { (try? JID($0))?.bare == context.address }
            .prefix(element.generation == .current ? 1 : Self.triedKeys)
    }

    /// The keys for one device number that are tried in a message of the legacy generation: numbers are random, so that even in large rooms two
    /// devices rarely share one.
    private static let triedKeys = 4

    private func open(
        _ element: OMEMOElement, of message: Message, by route: ReceivedRoute, _ draft: inout KeyDraft
    ) async throws(ProtectionError) -> OpenedMessage {
        let own = try context.own()
        var failure = ProtectionError(.noSession, "Nobody is known who has this device.")
        let senders = await senders(of: element, message, by: route)
        for sender in senders {
            let device = PeerDevice(generation: element.generation, address: sender, device: element.sender)
            if sender == context.address, element.sender == own.keys.device {
                throw ProtectionError(.otherDevice, "This device has sent the message.")
            }
            for key in keys(in: element, for: own.keys.device) {
                var attempt = draft
                do throws(ProtectionError) {
                    let opened = try await open(element, key, by: device, message, route, &attempt)
                    draft = attempt
                    return opened
                } catch {
                    failure = error
                    if error.code == .repeated { throw error }
                }
            }
        }
        if failure.code.isRepairable, senders.count == 1, let sender = senders.first {
            // Servers deliver messages again, and archives overlap.
            if try await isHere(message, by: route) {
                throw ProtectionError(.repeated, "The message was decrypted before.")
            }
            let device = PeerDevice(generation: element.generation, address: sender, device: element.sender)
            try await repair.owe(.repair, to: device, in: route.conversation, &draft)
            if element.payload != nil, try await copies.miss(message, of: device, by: route, &draft) {
                throw ProtectionError(.requested, failure.description, cause: failure)
            }
        }
        throw failure
    }

    /// Whether an earlier copy of the message was decrypted.
    private func isHere(_ message: Message, by route: ReceivedRoute) async throws(ProtectionError) -> Bool {
        let archive = route.conversation.kind == .room ? route.conversation.address : context.address
        var names: [TargetReference] = []
        if let id = message.archiveID(assignedBy: archive) {
            names.append(.archived(ArchiveReference(archive: archive, id: id)))
        }
        if let id = message.originID { names.append(.sent(id: id)) }
        let references = names
        let key = ConversationKey(account: context.account, route.conversation)
        let known: StoredMessage?
        do throws(StoreError) {
            known = try await context.store.read { reader throws(StoreError) in
                guard let conversation = try reader.conversation(key) else { return nil }
                for name in references {
                    if let message = try reader.message(name, in: conversation) { return message }
                }
                return nil
            }
        } catch {
            throw ProtectionError(.ownKeys, "The conversation cannot be read.", isTemporary: true, cause: error)
        }
        guard let known, !known.protection.isNotOpened, known.isOutgoing == route.origin.isOutgoing else {
            return false
        }
        let sender = route.origin.sender
        return route.conversation.kind == .direct ? known.sender.bare == sender.bare : known.sender == sender
    }

    /// The accounts that may have sent the message: one, except in a room that does not show the address of the occupant.
    private func senders(of element: OMEMOElement, _ message: Message, by route: ReceivedRoute) async -> [JID] {
        switch route.conversation.kind {
        case .direct: return [route.origin.sender.bare]
        case .room, .occupant:
            if route.origin.isOutgoing { return [context.address] }
            let occupant = route.origin.sender
            // The archive of the room itself contains the address of the sender (XEP-0313 §5.1.2). In others an occupant
            // could have written it.
            let isFromRoom = route.archive != nil && route.archive == route.conversation.address.bare
            let archived = isFromRoom ? ((try? message.payload(RoomUser.self)) ?? nil)?.item?.address : nil
            if let account = archived?.bare ?? occupants.account(of: occupant) { return [account] }
            guard let directory = context.servers.directory else { return [] }
            return await directory.accounts(announcing: element.sender)
        }
    }

    /// Opens it with one of the keys for this device; what it changes counts only if all is as it should be.
    private func open(
        _ element: OMEMOElement, _ key: OMEMOElement.RecipientKey, by device: PeerDevice, _ message: Message,
        _ route: ReceivedRoute, _ draft: inout KeyDraft
    ) async throws(ProtectionError) -> OpenedMessage {
        let decrypted = try await sessions.decrypt(element, key, by: device, &draft)
        let plaintext = decrypted.decryption.plaintext
        // A copy that this device has requested belongs where the message does.
        let missing = try await draft.missing(message, from: device, by: route)
        let conversation = missing?.conversation ?? route.conversation
        let moment = ConversationMoment(conversation: conversation, time: route.time ?? context.now())
        let content = try content(of: element, key: plaintext)
        var evidence = KeyEvidence.message
        if case .envelope(let envelope) = content {
            do throws(EnvelopeError) {
                try envelopeContext(of: device, route, in: conversation).check(envelope)
            } catch { throw ProtectionError(opening: error) }
            if envelope.from != nil { evidence = .envelope }
        }
        let trust = try await keyTrust.trust(in: decrypted.identity, of: device, by: evidence, at: moment, &draft)
        let protection = MessageProtection.encrypted(
            scheme: element.generation.namespace, device: decrypted.identity.fingerprint, trust: trust)
        try await strangers.count(device.address, &draft)
        var (opened, isOptOut) = (message.withoutEncryption, false)
        switch content {
        case .none:
            try await repair.received(decrypted.decryption, by: device, in: route.conversation, &draft)
            if let request = CopyRequest(plaintext: plaintext), trust.mayRead {
                try await copies.requested(request, by: device, decrypted.identity, message, route, &draft)
            }
            return OpenedMessage(opened)
        case .envelope(let envelope):
            if let optOut = envelope.content.first(where: { $0.isNamed(OptOut.name) }) {
                let key = ConversationNotice.Key(
                    device.address, device: device.device.number, fingerprint: decrypted.identity.fingerprint)
                if trust.mayRead, evidence == .envelope, conversation.kind == .direct, device.address != context.address
                {
                    try await draft.noteOptOut(moment, by: key)
                }
                isOptOut = true
                // The reason is what the other person says.
                opened.body = OptOut.reason(in: optOut)
            } else {
                opened.take(envelope.content)
            }
        case .text(let text): opened.take(bodyOfLegacy: text, of: message)
        }
        opened.offerLinkedFile()
        try await repair.received(decrypted.decryption, by: device, in: route.conversation, &draft)
        if !isOptOut { try await draft.noteEncrypted(moment) }
        var result = OpenedMessage(opened, protection)
        if let missing {
            draft.found(missing, from: device)
            result.original = missing.stanza
        }
        return result
    }

    /// What an element carries.
    private enum Content {
        /// The element begins or repairs a session.
        case none
        case envelope(Envelope)
        case text(String)
    }

    /// - Parameter key: what was encrypted for this device.
    private func content(of element: OMEMOElement, key: [UInt8]) throws(ProtectionError) -> Content {
        guard let payload = element.payload else { return .none }
        do {
            switch element.generation {
            case .current:
                return .envelope(
                    try Envelope(
                        decrypted: try EncryptedPayload.decrypt(payload, key: key, using: context.cryptography)))
            case .legacy:
                guard let nonce = element.nonce else { throw ProtectionError(.damaged, "The nonce is missing.") }
                let bytes = try LegacyPayload.decrypt(payload, nonce: nonce, key: key, using: context.cryptography)
                return .text(String(decoding: bytes, as: UTF8.self))
            }
        } catch let error as OMEMOError {
            throw ProtectionError(opening: error)
        } catch let error as EnvelopeError {
            throw ProtectionError(opening: error)
        } catch {
            throw error as? ProtectionError ?? ProtectionError(.damaged, "The payload is damaged.", cause: error)
        }
    }

    private func envelopeContext(
        of device: PeerDevice, _ route: ReceivedRoute, in conversation: ConversationAddress
    ) -> EnvelopeContext {
        let isGroup = conversation.kind == .room
        let recipient = isGroup || device.address == context.address ? conversation.address.bare : context.address
        return EnvelopeContext(
            sender: device.address.description, recipient: recipient.description, isGroup: isGroup,
            sent: (route.time ?? context.now()).millisecondsSince1970 / 1000,
            tolerance: route.isStamped ? EnvelopeContext.stampTolerance : EnvelopeContext.clockTolerance,
            canonicalAddress: { (try? JID($0))?.bare.description },
            seconds: { Timestamp($0).map { $0.millisecondsSince1970 / 1000 } })
    }
}
