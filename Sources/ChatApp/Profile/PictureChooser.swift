internal import Foundation
internal import GTKBinding
internal import Localization

/// A picture that the user chooses as the picture of an account or of a room.
enum PictureChooser {
    /// In bytes. Photos are smaller, and the picture is scaled down before it is published.
    private nonisolated static let maximumSize = 50_000_000

    /// Asks for a file; `nil` if none was chosen.
    static func choose(over window: Window?) async -> String? {
        let filter = FileChooser.Filter(localized("Pictures"), mediaTypes: ["image/*"])
        return await FileChooser.open(
            localized("Choose a Picture"), accept: localized("_Choose"), filters: [filter], over: window
        ).first
    }

    /// The bytes of a file; `nil` if it cannot be read.
    @concurrent
    nonisolated static func read(_ path: String) async -> [UInt8]? {
        guard let handle = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? handle.close() }
        return (try? handle.read(upToCount: maximumSize)).map { [UInt8]($0) }
    }
}
