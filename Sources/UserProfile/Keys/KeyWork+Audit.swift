internal import ChatEngine
internal import ChatStore
internal import EndToEndEncryption
internal import XMPPAddress

extension KeyWork {
    /// The number of conversations whose accounts are examined, the newest first: each needs a request.
    private static let auditedConversations = 200
    /// The number of messages per conversation among which those that could not be decrypted are counted.
    private static let auditedMessages = 200

    /// Everything that deserves attention, of the account itself first.
    ///
    /// - Parameter isOnline: whether device lists could be requested.
    func audit(_ encryption: OMEMOProtection, isOnline: Bool) async throws -> [KeyFinding] {
        let own = account.address
        var findings = try await encryption.closedNodes().map { closed in
            KeyFinding(
                problem: closed.accessModel == nil ? .nodeMissing : .nodeClosed, account: own, node: closed.node,
                accessModel: closed.accessModel)
        }
        let conversations = try await account.store.read { [id = account.id] reader throws(StoreError) in
            try reader.conversations().filter { $0.key.account == id && $0.key.kind == .direct }
        }
        var addresses = [own]
        for conversation in conversations.prefix(Self.auditedConversations)
        where !addresses.contains(conversation.key.address.bare) {
            addresses.append(conversation.key.address.bare)
        }
        for address in addresses {
            for device in try await encryption.devices(of: address) {
                findings += Self.problems(of: device, isOwn: address == own, isOnline: isOnline).map {
                    KeyFinding(problem: $0, account: address, device: KeyReport(device, of: address))
                }
            }
        }
        for conversation in conversations.prefix(Self.auditedConversations) {
            let count = try await account.store.read { reader throws(StoreError) in
                try reader.timeline(of: conversation.id, .newest, limit: Self.auditedMessages)
                    .count { $0.protection.isNotOpened }
            }
            guard count > 0 else { continue }
            findings.append(
                KeyFinding(problem: .notDecrypted, account: conversation.key.address.bare, device: nil, count: count))
        }
        return findings
    }

    private static func problems(
        of device: EncryptionDevice, isOwn: Bool, isOnline: Bool
    ) -> [KeyFinding.Problem] {
        if device.isThisDevice { return isOnline && device.isAnnounced != true ? [.notAnnounced] : [] }
        var problems: [KeyFinding.Problem] = []
        let isAnnounced = device.isAnnounced == true
        if device.fingerprint == nil {
            problems.append(.keysMissing)
        } else if device.trust == .undecided, device.isAnnounced != false {
            problems.append(.undecided)
        }
        if device.isAnnounced == false, device.trust == .verified { problems.append(.withdrawn) }
        if isAnnounced, device.isUnused { problems.append(.unused) }
        if isAnnounced, device.generations == [.legacy] { problems.append(.legacyOnly) }
        return problems
    }
}
