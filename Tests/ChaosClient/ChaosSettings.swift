import Foundation

/// The settings of a device, in the file `settings.json` of its folder.
struct ChaosSettings: Codable {
    var address: String
    var password: String
    var host: String
    var port: UInt16
    var authorityFile: String
    /// The name of the device: one letter for the user, one digit.
    var device: String
    /// The bare addresses of the contacts.
    var peers: [String]
    var room: String
    var nickname: String
    /// The first device of a user manages the contacts.
    var isFirst: Bool
    /// Everything is encrypted, and the room is for these accounts only; its first member creates it.
    var members: [String] = []
    /// The number of messages that it types.
    var count: Int
    /// The mean time between two of them in milliseconds.
    var pause: Int
    var seed: UInt64
}

/// The current instructions of a device, in the file `orders.json`.
struct ChaosOrders: Codable, Equatable {
    enum Phase: String, Codable, Comparable {
        /// Add the contacts.
        case prepare
        /// Type messages.
        case type
        /// Only send the typed messages.
        case drain
        /// Start another session, download missing messages, and dump the store.
        case settle

        private var number: Int {
            switch self {
            case .prepare: 0
            case .type: 1
            case .drain: 2
            case .settle: 3
            }
        }

        static func < (left: Self, right: Self) -> Bool { left.number < right.number }
    }

    var phase = Phase.prepare
    /// The error of the clock in milliseconds.
    var clockError: Int64 = 0
    /// The maximum size of a file; `nil` for no limit.
    var fileSizeLimit: UInt64?
    /// Read at the start: the store is opened with a full disk.
    var isStoreFull = false
    /// Rooms that it joins again whenever it is not in them while it types.
    var otherRooms: [String] = []
    /// How often another program of the user has replaced the account's device lists so far.
    var replacedLists = 0
}

/// The status of a device, in the file `status.json`.
struct ChaosStatus: Codable, Equatable {
    var phase = ChaosOrders.Phase.prepare
    var isOnline = false
    /// Whether it is in the room.
    var isInside = false
    /// Whether all contacts see each other.
    var hasContacts = false
    /// Whether the keys of this device are announced.
    var isAnnounced = false
    /// The number of this device in encrypted messages.
    var deviceID: UInt32?
    /// The highest typed number.
    var typed = 0
    var queued = 0
    /// The number of gaps in the stored archives.
    var gaps = 0
    /// Sessions started in this phase.
    var sessions = 0
}

/// The files of a device.
enum ChaosFiles {
    static let settings = "settings.json"
    static let orders = "orders.json"
    static let status = "status.json"
    static let ledger = "ledger"
    static let dump = "dump"
    static let store = "store.db"
    /// The secret identity key, which a keyring keeps apart from the store.
    static let identity = "identity"
    /// The exchanged stanzas and events, for the history of a message.
    static let log = "log"

    static func read<Value: Decodable>(_ type: Value.Type, _ name: String, in folder: String) -> Value? {
        (try? Data(contentsOf: URL(filePath: "\(folder)/\(name)"))).flatMap {
            try? JSONDecoder().decode(type, from: $0)
        }
    }

    static func write<Value: Encodable>(_ value: Value, _ name: String, in folder: String) throws {
        try JSONEncoder().encode(value).write(to: URL(filePath: "\(folder)/\(name)"), options: .atomic)
    }
}
