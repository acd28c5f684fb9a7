import ChatModel
import Foundation
import Synchronization
import Testing

@Suite("Preferences")
@MainActor
struct PreferencesTests {
    @Test("each change is saved away from the main thread, one after the other")
    func saved() async {
        let saved = Mutex<[(values: PreferenceValues, isOnMain: Bool)]>([])
        let preferences = Preferences { values in
            let isOnMain = Thread.isMainThread
            saved.withLock { $0.append((values, isOnMain)) }
        }
        preferences.values.tellsTyping = false
        preferences.values.tellsTyping = false
        preferences.values.tellsReceipts = false
        await preferences.flush()
        let all = saved.withLock { $0 }
        #expect(all.map(\.values.tellsTyping) == [false, false])
        #expect(all.map(\.values.tellsReceipts) == [true, false])
        #expect(!all.contains { $0.isOnMain })
    }

    @Test("all values are restored; a size of texts that cannot be chosen is the normal one")
    func stored() throws {
        var values = PreferenceValues()
        values.playsSound = false
        values.minutesUntilAway = 0
        values.sendsWithReturn = false
        values.zoom = 1.25
        values.window.width = 777
        values.window.isMaximized = true
        let data = try JSONEncoder().encode(values)
        #expect(try JSONDecoder().decode(PreferenceValues.self, from: data) == values)
        let odd = try JSONDecoder().decode(PreferenceValues.self, from: Data(#"{"zoom":17,"playsSound":"loud"}"#.utf8))
        #expect(odd == PreferenceValues())
    }

    @Test("files are read and written outside of the main actor")
    func files() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/ChatModel")
        let access = /FileManager|FileHandle|(Data|String)\(contentsOf/
        var found = 0
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path(percentEncoded: false))
        for path in paths where path.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            var function: Substring = ""
            for line in text.split(separator: "\n") {
                if line.contains(/\b(func|init|var)\b/) { function = line }
                guard line.contains(access) else { continue }
                found += 1
                #expect(function.contains("nonisolated") || !text.contains("@MainActor"), "\(path): \(line)")
            }
        }
        #expect(found > 4)
    }
}
