public import ChatEngine
public import ChatStore
public import Observation

/// Whether the next message of a conversation will be encrypted, who will not be able to read it, and the user's choice
/// for the conversation.
///
///     let model = EncryptionModel(key, account: account)
///     Task { await model.run() }                     // until the task is cancelled
///     await model.setPolicy(.always)                 // what goes wrong stands in `failure`
///
/// ``Wording/forecast(_:with:in:)`` has the sentences.
@MainActor
@Observable
public final class EncryptionModel {
    /// What a symbol beside the input field shows.
    public enum Sign: Sendable, Hashable, CaseIterable {
        /// Every device that can be expected to read the message will read it.
        case encrypted
        /// It is encrypted, but some devices or accounts will not be able to read it.
        case partly
        /// The servers on the way can read it.
        case clear
        /// It will not be sent.
        case refused
        /// The devices are not known: the account is offline, or a server does not answer.
        case unknown
    }

    public let key: ConversationKey
    /// `nil` until it is known.
    public private(set) var forecast: EncryptionForecast?
    /// Whether the account uses encryption, so that there is something to choose.
    public let isAvailable: Bool
    /// Why the last action failed, as a sentence for the user.
    public private(set) var failure: String?

    @ObservationIgnored private let service: (any EncryptionService)?
    @ObservationIgnored private let events: @Sendable () -> AsyncStream<ChatAccountEvent>
    @ObservationIgnored private let environment: ModelEnvironment

    /// The minimum time between two forecasts: a room of 500 members is a plan for each of their devices.
    static let interval: Duration = .milliseconds(500)

    /// - Parameter service: `nil` for an account without encryption.
    public init(
        _ key: ConversationKey, service: (any EncryptionService)?,
        events: @escaping @Sendable () -> AsyncStream<ChatAccountEvent>,
        environment: ModelEnvironment = ModelEnvironment()
    ) {
        self.key = key
        self.service = service
        self.events = events
        self.environment = environment
        isAvailable = service != nil
        if service == nil { forecast = EncryptionForecast(.clear(.withoutEncryption), policy: .never) }
    }

    public convenience init(
        _ key: ConversationKey, account: ChatAccount, environment: ModelEnvironment = ModelEnvironment()
    ) {
        self.init(key, service: account.encryption, events: { account.events() }, environment: environment)
    }

    public var sign: Sign {
        switch forecast?.outcome {
        case .encrypted?: forecast?.unreadable.isEmpty == false ? .partly : .encrypted
        case .clear?: .clear
        case .refused?: .refused
        case .waits?, .unknown?, .stranger?, nil: .unknown
        }
    }

    /// Whether a message would not be sent, so that it is better not to queue it.
    public var isRefused: Bool { sign == .refused }

    /// The user's choice for this conversation; `nil` if it follows the account.
    public var choice: EncryptionPolicy? { forecast.flatMap { $0.isOwnPolicy ? $0.policy : nil } }

    /// Follows the account until the task is cancelled.
    public func run() async {
        guard service != nil else { return }
        let coalescer = Coalescer(every: Self.interval, clock: environment.clock)
        let events = events()
        coalescer.call()
        await withTaskGroup { group in
            group.addTask { [weak self] in await coalescer.run { await self?.refresh() } }
            for await event in events {
                switch event {
                case .connection, .encryption: coalescer.call()
                case .room(key.address): coalescer.call()
                default: break
                }
            }
            group.cancelAll()
        }
    }

    /// Asks again.
    public func refresh() async {
        guard let service else { return }
        let now = await service.forecast(for: key.conversation)
        if forecast != now { forecast = now }
    }

    /// Decides for this conversation; `nil` follows the account.
    public func setPolicy(_ policy: EncryptionPolicy?) async {
        guard let service, policy != choice else { return }
        failure = nil
        do {
            try await service.setPolicy(policy, of: key.conversation)
        } catch {
            failure = Wording.failure(any: error)
        }
        await refresh()
    }

    /// Clears ``failure`` after it was shown.
    public func clearFailure() { failure = nil }
}
