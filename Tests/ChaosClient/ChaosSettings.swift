import Foundation

/// What a device is told once, in the file `settings.json` of its folder.
struct ChaosSettings: Codable {
    var address: String
    var password: String
    var host: String
    var port: UInt16
    var authorityFile: String
    /// The name of the device: one letter for the person, one digit.
    var device: String
    /// Whom the person talks to, by bare address.
    var peers: [String]
    var room: String
    var nickname: String
    /// The first device of a person looks after the contacts.
    var isFirst: Bool
    /// How many messages it types.
    var count: Int
    /// Milliseconds between two of them, in the middle.
    var pause: Int
    var seed: UInt64
}

/// What a device shall do at present, in the file `orders.json`.
struct ChaosOrders: Codable, Equatable {
    enum Phase: String, Codable, Comparable {
        /// Get to know the others.
        case prepare
        /// Type.
        case type
        /// Only send what was typed.
        case drain
        /// Begin another session, fetch what is missing, and say what is in the store.
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
    /// How far the clock is wrong, in milliseconds.
    var clockError: Int64 = 0
    /// No file may grow beyond this; nil for no limit.
    var fileSizeLimit: UInt64?
    /// Read at the start: the store is opened with no room to grow.
    var isStoreFull = false
    /// Rooms that it enters whenever it is not inside while it types.
    var otherRooms: [String] = []
}

/// How a device is, in the file `status.json`.
struct ChaosStatus: Codable, Equatable {
    var phase = ChaosOrders.Phase.prepare
    var isOnline = false
    /// It is in the room.
    var isInside = false
    /// All contacts see each other.
    var hasContacts = false
    /// The highest number that was typed.
    var typed = 0
    var queued = 0
    /// Holes in what is here of the archives.
    var gaps = 0
    /// Sessions begun in the phase.
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
    /// What passed and what happened, for the story of a message.
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
