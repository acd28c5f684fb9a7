public import ChatEngine
internal import ChatModel
internal import ChatStore
internal import EndToEndEncryption
internal import JSONRPC
public import XMPPAddress
internal import XMPPClient

/// Carries out orders of scripts about the keys of an account (``KeyOrder``).
public struct KeyWork: Sendable {
    let account: ChatAccount
    /// Whether the account is starting to connect, so that it does not count as offline yet.
    private let isStarting: Bool

    public init(_ account: ChatAccount, isStarting: Bool = false) {
        self.account = account
        self.isStarting = isStarting
    }

    /// The fewest digits by which a key can be named, except to verify it.
    private static let shortestName = 8

    public func perform(_ order: KeyOrder) async throws(KeyFailure) -> KeyAnswer {
        guard let encryption = account.encryption else { throw KeyFailure(.off) }
        let wasOnline = await account.connectionState.isOnline
        let connection = await account.firstConnection(isStarting: isStarting, seconds: order.timeout)
        // What is stored is shown without a connection, but not instead of a wrong password.
        if case .offline(let cause) = connection,
            order.action.needsConnection || (cause?.exitClass ?? .connection) != .connection
        {
            throw KeyFailure(
                .offline, cause: cause,
                text: cause.map { Wording.failure($0, domain: account.address.domain) })
        }
        var answer = KeyAnswer(isOnline: connection.isOnline)
        if connection.isOnline { await encryption.waitUntilPublished() }
        let address = order.address?.bare ?? account.address
        do {
            switch order.action {
            case .list: answer.devices = try await reports(of: address, encryption)
            case .audit: answer.findings = try await audit(encryption, isOnline: connection.isOnline)
            case .verify: try await verify(order, encryption, &answer)
            case .trust: answer.devices = [try await decide(.trusted, order, encryption)]
            case .distrust: answer.devices = [try await decide(.distrusted, order, encryption)]
            case .forget:
                let key = try await key(order.key ?? "", at: address, encryption)
                if let fingerprint = key.fingerprint { try await encryption.forget(fingerprint, at: address) }
                answer.devices = [key]
            case .publish:
                // A new connection has just published them.
                if wasOnline { encryption.announceAgain() }
                answer.devices = try await reports(of: account.address, encryption).filter(\.isThisDevice)
            case .remove: answer.devices = [try await remove(order.device, encryption)]
            case .link: answer.link = try await encryption.verificationLink(for: address)?.uri
            case .policy, .setPolicy: try await policy(order, encryption, &answer)
            case .unused:
                if let excludes = order.excludesUnused { try await encryption.setExcludesUnusedDevices(excludes) }
                answer.excludesUnused = try await encryption.excludesUnusedDevices
            }
        } catch let failure as KeyFailure {
            throw failure
        } catch {
            throw KeyFailure(failure: error)
        }
        return answer
    }

    private func reports(of address: JID, _ encryption: OMEMOProtection) async throws -> [KeyReport] {
        try await encryption.devices(of: address).map { KeyReport($0, of: address) }
    }

    // MARK: Keys

    private func verify(_ order: KeyOrder, _ encryption: OMEMOProtection, _ answer: inout KeyAnswer) async throws {
        let text = order.key ?? ""
        if let link = VerificationLink(text) {
            let address = order.address?.bare ?? link.account
            guard link.account == address else { throw KeyFailure(.otherAccount, text: link.account.description) }
            let outcome = try await encryption.verify(with: link)
            answer.verification = KeyAnswer.Verification(outcome)
            let changed = Set(outcome.verified + outcome.distrusted)
            answer.devices = try await reports(of: address, encryption).filter {
                $0.fingerprint.map(changed.contains) == true
            }
        } else {
            // Fewer digits would compare nothing.
            guard KeyFingerprint(text) != nil else { throw KeyFailure(.unreadable) }
            answer.devices = [try await decide(.verified, order, encryption)]
        }
    }

    private func decide(
        _ trust: DeviceTrust, _ order: KeyOrder, _ encryption: OMEMOProtection
    ) async throws -> KeyReport {
        let address = order.address?.bare ?? account.address
        var key = try await key(order.key ?? "", at: address, encryption)
        guard let fingerprint = key.fingerprint, !key.isThisDevice else { throw KeyFailure(.unknownKey) }
        try await encryption.setTrust(trust, of: fingerprint, at: address)
        key.trust = trust
        return key
    }

    /// The key of an account that the digits name: all of them, or enough of the first ones.
    private func key(_ text: String, at address: JID, _ encryption: OMEMOProtection) async throws -> KeyReport {
        let digits =
            KeyFingerprint(text)?.digits ?? String(text.lowercased().filter { !$0.isWhitespace && $0 != ":" })
        guard digits.count >= Self.shortestName, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
            throw KeyFailure(.unreadable)
        }
        let found = try await reports(of: address, encryption).filter { $0.fingerprint?.hasPrefix(digits) == true }
        guard let key = found.first else { throw KeyFailure(.unknownKey) }
        guard found.count == 1 else { throw KeyFailure(.ambiguous) }
        return key
    }

    private func remove(_ number: UInt32?, _ encryption: OMEMOProtection) async throws -> KeyReport {
        let device = try await reports(of: account.address, encryption).first {
            $0.device == number && !$0.isThisDevice && $0.isAnnounced == true
        }
        guard let device else { throw KeyFailure(.unknownDevice) }
        try await encryption.removeDevice(device.device)
        if let fingerprint = device.fingerprint { try await encryption.forget(fingerprint, at: account.address) }
        return device
    }

    // MARK: Policy

    private func policy(_ order: KeyOrder, _ encryption: OMEMOProtection, _ answer: inout KeyAnswer) async throws {
        guard let address = order.address else { throw KeyFailure(.unreadable) }
        let conversation = try await account.conversation(with: address).conversation
        if order.action == .setPolicy { try await encryption.setPolicy(order.policy, of: conversation) }
        let forecast = await encryption.forecast(for: conversation)
        (answer.policy, answer.isOwnPolicy) = (forecast.policy, forecast.isOwnPolicy)
    }
}

extension KeyOrder.Action {
    /// Whether it can do nothing without a server.
    fileprivate var needsConnection: Bool {
        switch self {
        case .publish, .remove: true
        case .list, .audit, .verify, .trust, .distrust, .forget, .link, .policy, .setPolicy, .unused: false
        }
    }
}

extension KeyFailure {
    /// An error of the encryption, or of the store.
    fileprivate init(failure error: any Error) {
        switch error {
        case let error as ProtectionError where error.code == .unreachable: self.init(.offline)
        case let error as ProtectionError where error.code == .publishingRefused: self.init(.refused)
        default: self.init(.store)
        }
    }
}

extension ProfileMethod {
    /// `keys`: carries out an order about the keys of an account of the program that uses the profile.
    ///
    /// - Parameters:
    ///   - isStarting: accounts that are not connected yet begin to connect now.
    ///   - account: finds the account by its bare address.
    public static func keys(
        isStarting: Bool = false, _ account: @escaping @Sendable (JID) async -> ChatAccount?
    ) -> ProfileMethod {
        ProfileMethod("keys") { (order: KeyOrder, _) async throws(JSONRPCError) -> KeyAnswer in
            guard let account = await account(order.account.bare) else { throw KeyFailure(.account).fault }
            do throws(KeyFailure) {
                return try await KeyWork(account, isStarting: isStarting).perform(order)
            } catch {
                throw error.fault
            }
        }
    }
}
