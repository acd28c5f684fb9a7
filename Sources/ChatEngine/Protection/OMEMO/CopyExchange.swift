internal import ChatStore
internal import MessageFeatures
internal import OMEMO
internal import XMLStreaming
internal import XMPPAddress
internal import XMPPStanzas

/// Copies of messages: a device that cannot decrypt one requests a copy from the device that has sent it.
struct CopyExchange: Sendable {
    let context: EncryptionContext
    let strangers: Strangers

    /// Records that a message is missing, so that a copy is requested. Of strangers nothing is requested.
    ///
    /// - Returns: whether a copy will be requested.
    func miss(
        _ message: Message, of device: PeerDevice, by route: ReceivedRoute, _ draft: inout KeyDraft
    ) async throws(ProtectionError) -> Bool {
        let conversation = route.conversation
        // Envelopes say where they belong; the legacy generation has none.
        guard device.generation == .current, let id = message.originID,
            let missing = MissingMessage(
                message.withoutEncryption, id, in: conversation,
                sent: (route.time ?? context.now()).millisecondsSince1970 / 1000, now: context.seconds),
            missing.entry(for: device, own: context.address) != nil
        else { return false }
        if conversation.kind == .room {
            // Otherwise nothing but the nickname says that the copy is of the same message.
            let room = conversation.address
            guard message.archiveID(assignedBy: room) != nil || message.payloads.contains(OccupantIdentifier.name)
            else {
                return false
            }
        } else if try await !strangers.isKnownPerson(device.address) {
            return false
        }
        let name = MissingMessage.name(id, of: device)
        if try await draft.value(name) != nil { return true }
        guard try await draft.values(beginningWith: MissingMessage.prefix(device)).count < MissingMessage.deviceLimit,
            try await draft.values(beginningWith: MissingMessage.prefix).count < MissingMessage.limit
        else { return false }
        draft.write(name, missing.record)
        return true
    }

    /// What to request from a device now; records that it is requested, and gives up what cannot be had.
    ///
    /// - Parameter isAllowed: the device may get a request.
    /// - Returns: the request, if there is one, and the messages that were given up.
    func copyRequest(
        to device: PeerDevice, isAllowed: Bool, _ draft: inout KeyDraft
    ) async throws(ProtectionError) -> (element: OMEMOElement?, givenUp: [MissingMessage]) {
        var (due, givenUp): ([(name: String, missing: MissingMessage)], [MissingMessage]) = ([], [])
        for (name, record) in try await draft.values(beginningWith: MissingMessage.prefix(device)) {
            guard let missing = try? MissingMessage(record) else {
                draft.write(name, nil)
                continue
            }
            if missing.isOver(now: context.seconds) {
                draft.write(name, nil)
                givenUp.append(missing)
            } else if isAllowed, missing.isDue(now: context.seconds) {
                due.append((name, missing))
            }
        }
        // The device does not have the session of a repair that is still owed, and cannot read in the earlier one.
        if due.isEmpty { return (nil, givenUp) }
        if try await isRepairOwed(to: device, draft) { return (nil, givenUp) }
        guard let (session, shelf) = try await usableSession(with: device, draft) else {
            for (name, missing) in due {
                draft.write(name, nil)
                givenUp.append(missing)
            }
            return (nil, givenUp)
        }
        due.sort { ($0.missing.time, $0.name) < ($1.missing.time, $1.name) }
        guard let request = CopyRequest(due.compactMap { $0.missing.entry(for: device, own: context.address) }) else {
            return (nil, givenUp)
        }
        let requested = Set(request.entries)
        for item in due {
            var missing = item.missing
            guard let entry = missing.entry(for: device, own: context.address), requested.contains(entry) else {
                continue
            }
            missing.requested(now: context.seconds)
            draft.write(item.name, missing.record)
        }
        return (try encrypt(request.plaintext, session, shelf, for: device, &draft), givenUp)
    }

    private func isRepairOwed(to device: PeerDevice, _ draft: KeyDraft) async throws(ProtectionError) -> Bool {
        let record = try await draft.value(OwedMessage.name(device))
        return try record.map { bytes throws(ProtectionError) in try OwedMessage(bytes).kind == .repair } ?? false
    }

    /// The session in use with a device whose key is trusted; `nil` if there is none.
    private func usableSession(
        with device: PeerDevice, _ draft: KeyDraft
    ) async throws(ProtectionError) -> (session: [UInt8], shelf: SessionShelf)? {
        guard let record = try await draft.value(SessionShelf.name(device)) else { return nil }
        let shelf = try SessionShelf(record)
        guard let bytes = shelf.sessions.first, let session = try? OMEMOSession(serialized: bytes),
            let known = try await draft.value(KnownKey.name(session.peer.fingerprint, of: device.address)),
            try KnownKey(known).trust.mayRead
        else { return nil }
        return (bytes, shelf)
    }

    /// A message without a payload for one device.
    private func encrypt(
        _ plaintext: [UInt8], _ bytes: [UInt8], _ shelf: SessionShelf, for device: PeerDevice, _ draft: inout KeyDraft
    ) throws(ProtectionError) -> OMEMOElement {
        let own = try context.own()
        var shelf = shelf
        do throws(OMEMOError) {
            var session = try OMEMOSession(serialized: bytes)
            let key = try session.encrypt(plaintext, using: context.cryptography)
            shelf.put(session.serialized, replacing: 0)
            draft.write(SessionShelf.name(device), shelf.record)
            return OMEMOElement(
                device.generation, sender: own.keys.device,
                keys: [.init(account: device.address.description, device: device.device, key)])
        } catch {
            throw ProtectionError(.keyMissing, error.description, cause: error)
        }
    }

    // MARK: Copies for others

    /// Records that a device requests copies. It gets only what was encrypted for its key before.
    func requested(
        _ request: CopyRequest, by device: PeerDevice, _ identity: IdentityKey, _ message: Message,
        _ route: ReceivedRoute, _ draft: inout KeyDraft
    ) async throws(ProtectionError) {
        let time = (route.time ?? context.now()).millisecondsSince1970 / 1000
        guard device.generation == .current, let receiver = message.from, !receiver.isBare,
            receiver.bare == device.address, context.seconds - time < MissingMessage.lifetime,
            let record = try await draft.value(SessionShelf.name(device))
        else { return }
        let sent = try SessionShelf(record).sent
        let allowed = request.entries.filter { entry in
            if case .account = entry.place, device.address != context.address { return false }
            return sent.mayCopy(entry.id, for: identity, using: context.cryptography)
        }
        let name = RequestedCopies.name(device)
        let known = try await draft.value(name)
        guard !allowed.isEmpty else { return }
        if known == nil,
            try await draft.values(beginningWith: RequestedCopies.prefix).count >= RequestedCopies.deviceLimit
        {
            return
        }
        let earlier = known.flatMap { try? RequestedCopies($0) }?.entries ?? []
        var copies = RequestedCopies(for: receiver, earlier, time: max(time, 0))
        copies.add(allowed)
        draft.write(name, copies.record)
    }

    /// A copy of a message for one device; `nil` if it may not have it any more.
    func copy(
        _ message: Message, in conversation: ConversationAddress, for device: PeerDevice, _ draft: inout KeyDraft
    ) async throws(ProtectionError) -> Message? {
        guard let id = message.id, let (bytes, earlier) = try await usableSession(with: device, draft) else {
            return nil
        }
        var shelf = earlier
        let own = try context.own()
        let content = SealedContent(message)
        do throws(OMEMOError) {
            var session = try OMEMOSession(serialized: bytes)
            guard shelf.sent.mayCopy(id, for: session.peer, using: context.cryptography) else { return nil }
            let envelope = Envelope(
                content.inside, from: context.address.description, to: conversation.address.bare.description, time: nil)
            let payload = try EncryptedPayload(
                try envelope.padded(using: context.cryptography), using: context.cryptography)
            let key = try session.encrypt(payload.key.bytes, using: context.cryptography)
            shelf.put(session.serialized, replacing: 0)
            shelf.sent.copied(id, using: context.cryptography)
            draft.write(SessionShelf.name(device), shelf.record)
            var copy = content.outside(isForLegacy: false)
            copy.type = .chat
            // An error about the copy says nothing about the message; the origin-id names it.
            copy.id = nil
            let keys = OMEMOElement.RecipientKey(account: device.address.description, device: device.device, key)
            copy.payloads.append(
                OMEMOElement(.current, sender: own.keys.device, keys: [keys], payload: payload.payload))
            copy.append(EncryptionHint(OMEMOGeneration.current.namespace))
            return copy
        } catch {
            throw ProtectionError(.keyMissing, error.description, cause: error)
        }
    }
}

extension KeyDraft {
    /// The missing message of which a message is the copy; `nil` for all others.
    func missing(
        _ message: Message, from device: PeerDevice, by route: ReceivedRoute
    ) async throws(ProtectionError) -> MissingMessage? {
        guard device.generation == .current, let id = message.originID,
            let record = try await value(MissingMessage.name(id, of: device))
        else { return nil }
        guard let missing = try? MissingMessage(record) else { return nil }
        let isDirect = route.conversation.kind == .direct && route.conversation.address.bare == device.address
        return isDirect || route.conversation == missing.conversation ? missing : nil
    }

    /// A missing message is here.
    mutating func found(_ missing: MissingMessage, from device: PeerDevice) {
        write(MissingMessage.name(missing.id, of: device), nil)
    }
}
