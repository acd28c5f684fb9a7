internal import Glibc
internal import JSONRPC
internal import Localization

/// What a load consists of: how many sessions, how often something happens, and what.
///
///     {"sessions":500,"seconds":60,"rate":200,"mix":{"message":70,"presence":10,"room":15,"archive":4,"upload":1},"bytes":200}
struct LoadMix: Sendable, Equatable {
    enum Kind: String, Sendable, CaseIterable {
        /// A message to another session.
        case message
        /// A presence, which the contacts of the account get.
        case presence
        /// A message to a room in which ten sessions are.
        case room
        /// A page of the archive of the account.
        case archive
        /// A small file: the slot and the upload.
        case upload
    }

    var sessions = 100
    var seconds = 60
    /// Operations per second, of all sessions together.
    var rate = 50.0
    /// The weights of the operations.
    var weights: [Kind: Int] = [.message: 70, .presence: 10, .room: 15, .archive: 4, .upload: 1]
    /// The size of a text and of a file, in bytes.
    var bytes = 200

    static let sessionLimit = 20_000
    /// The longest load: a day.
    static let secondLimit = 86_400
    static let rateLimit = 100_000.0
    static let byteLimit = 100_000

    init() {}

    init(parsing bytes: some Collection<UInt8>) throws(CommandError) {
        guard let json = try? JSONValue(parsing: bytes), let members = json.members else {
            throw .failed(localized("The mix is not an object of JSON."))
        }
        for member in members {
            switch (member.key, member.value) {
            case ("sessions", .integer(let number)) where (2...Self.sessionLimit).contains(number): sessions = number
            case ("seconds", .integer(let number)) where (1...Self.secondLimit).contains(number): seconds = number
            case ("rate", .integer(let number)) where number > 0 && Double(number) <= Self.rateLimit:
                rate = Double(number)
            case ("rate", .number(let number)) where number > 0 && number <= Self.rateLimit: rate = number
            case ("bytes", .integer(let number)) where (1...Self.byteLimit).contains(number): self.bytes = number
            case ("mix", .object(let list)):
                weights = [:]
                for weight in list {
                    guard let kind = Kind(rawValue: weight.key), let number = weight.value.integer, number >= 0 else {
                        throw .failed(localized("“%@” in the mix is unknown or out of range.", weight.key))
                    }
                    weights[kind] = number
                }
            default: throw .failed(localized("“%@” in the mix is unknown or out of range.", member.key))
            }
        }
        guard weights.values.contains(where: { $0 > 0 }) else { throw .failed(localized("The mix has no operations.")) }
    }

    var json: JSONValue {
        [
            "sessions": .integer(sessions), "seconds": .integer(seconds), "rate": .number(rate),
            "bytes": .integer(bytes),
            "mix": JSONValue(Kind.allCases.map { ($0.rawValue, .count(weights[$0])) }),
        ]
    }
}

/// When which operation begins, independent of how long others take (open loop): a server that stalls gets no less to do,
/// and the time that an operation had to wait counts.
///
/// The gaps are those of independent people (a Poisson process); the same seed gives the same load.
struct LoadSchedule: Sendable, IteratorProtocol {
    struct Operation: Sendable, Equatable {
        /// From the beginning of the load.
        let time: Duration
        let kind: LoadMix.Kind
        /// Which session does it, and to which one.
        let session: Int
        let peer: Int
    }

    private let mix: LoadMix
    private let kinds: [LoadMix.Kind]
    private var generator: SplitMix
    private var seconds = 0.0

    init(_ mix: LoadMix, seed: UInt64) {
        self.mix = mix
        kinds = LoadMix.Kind.allCases.flatMap { Array(repeating: $0, count: min(mix.weights[$0] ?? 0, 1000)) }
        generator = SplitMix(state: seed)
    }

    mutating func next() -> Operation? {
        // Between 0, exclusive, and 1.
        let chance = Double(generator.next() >> 11) * 0x1p-53 + 0x1p-54
        seconds += -log(chance) / mix.rate
        guard seconds < Double(mix.seconds), let kind = kinds.randomElement(using: &generator) else { return nil }
        let session = Int.random(in: 0..<mix.sessions, using: &generator)
        let other = Int.random(in: 0..<(mix.sessions - 1), using: &generator)
        return Operation(
            time: .seconds(seconds), kind: kind, session: session, peer: other < session ? other : other + 1)
    }
}

/// A small generator of random numbers with a seed (SplitMix64).
struct SplitMix: RandomNumberGenerator, Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
