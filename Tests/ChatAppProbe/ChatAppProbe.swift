import ChatStore
import GTKBinding
import Glibc
import XMPPAddress

@testable import ChatApp
@testable import ChatModel

/// The main window in a program with a main loop of its own, where the turns of the loop can be measured: inside a test the main actor
/// changes its thread.
///
/// A picture of twelve megapixels is pasted, sent and viewed. For each step the program prints how long the longest turn took of the
/// processor, in milliseconds: `pasted 12.5`.
///
/// With the word `wording` it prints what is said of each failure, see ``WordingList``.
///
///     ChatAppProbe FOLDER
///     ChatAppProbe wording CODES
@main
struct ChatAppProbe {
    static func main() {
        if CommandLine.arguments.dropFirst().first == "wording", let codes = CommandLine.arguments.last {
            do { try WordingList.write(codes: codes) } catch { print("failed: \(error)") }
            return
        }
        MainLoop.serveMainActor()
        guard let folder = CommandLine.arguments.dropFirst().first else { exit(2) }
        let application = Application("im.hongyan.Probe", isUnique: false)
        application.onActivate { [weak application] in
            guard let application else { return }
            application.hold()
            Task {
                do {
                    try await Measurement(folder, application).run()
                } catch {
                    print("failed: \(error)")
                }
                fflush(nil)
                application.quit()
            }
        }
        exit(application.run([CommandLine.arguments[0]]))
    }
}

private struct Missing: Error, CustomStringConvertible { let description: String }

@MainActor
private final class Measurement {
    /// Machines that run tests are slow and shared.
    private static let timeout = Duration.seconds(120)
    private nonisolated static let (width, height) = (4000, 3000)

    private let watchdog = MainLoopWatchdog()
    private let context: AppContext
    private let window: MainWindow
    private let key: ConversationKey

    init(_ folder: String, _ application: Application) async throws {
        Style.use()
        ToolkitSettings.hasAnimations = false
        let store = try await SQLiteStore.open(at: folder + "/chat.db")
        let (juliet, romeo) = (try JID("juliet@capulet.example"), try JID("romeo@montague.example"))
        let account = try await store.write { writer throws(StoreError) in
            let id = try writer.addAccount(juliet)
            guard var account = try writer.account(juliet) else { return id }
            // It need not even try to connect.
            account.isEnabled = false
            try writer.update(account)
            return id
        }
        let accountStorage = MemoryAccountStorage(
            media: try await MediaCache.open(at: folder + "/media", budget: 1 << 30))
        await accountStorage.save(AccountAccess(address: juliet))
        context = AppContext(home: ChatHome(store: store, accountStorage: accountStorage))
        window = MainWindow(context, application)
        context.window = window
        key = ConversationKey(account: account, address: romeo, kind: .direct)
        window.present()
        await context.home.start()
        window.open(key)
    }

    func run() async throws {
        try await wait("the conversation") { self.window.conversation?.timeline.position.isOpened == true }
        guard let view = window.conversation, let writing = view.composer else {
            throw Missing(description: "no place to write")
        }
        guard let picture = await Self.picture() else { throw Missing(description: "no picture") }
        Clipboard.copy(picture)
        try await rest()

        watchdog.reset()
        guard writing.files.paste() else { throw Missing(description: "nothing was pasted") }
        try await wait("the pasted picture") {
            writing.files.preview.map { $0.selection.items.count == 1 && !$0.selection.isPreparing } ?? false
        }
        try await report("pasted")

        writing.files.preview?.selection.quality = .original
        writing.files.preview?.send.click()
        try await wait("the sent picture") { self.shownPicture?.isShown == true }
        try await report("sent")

        guard let message = shownMessage else { throw Missing(description: "no message") }
        view.timeline.actions.open(message, 0)
        try await wait("the viewer") { PictureViewer.open.values.first?.picture.size != nil }
        try await report("viewed")

        PictureViewer.open.values.first?.picture.show(zoom: 1)
        try await wait("the whole picture") { PictureViewer.open.values.first?.picture.isWhole == true }
        try await report("zoomed")
    }

    /// The view of the newest message's picture.
    private var shownPicture: PictureView? {
        var found: PictureView?
        window.conversation?.timeline.list.forEachRow {
            if let view = $1.bubble?.files.views.first as? PictureView { found = view }
        }
        return found
    }

    private var shownMessage: TimelineMessage? {
        var found: TimelineMessage?
        window.conversation?.timeline.list.forEachRow { if let message = $1.item?.message { found = message } }
        return found
    }

    private func report(_ step: String) async throws {
        try await rest()
        print("\(step) \(watchdog.longest.processor / .milliseconds(1)) \(watchdog.count)")
        watchdog.reset()
    }

    /// What a step has begun is painted.
    private func rest() async throws {
        var frames = 0
        window.window.onFrame {
            frames += 1
            return frames < 5
        }
        try await wait("frames") { frames >= 5 }
    }

    private func wait(_ what: String, until isTrue: () -> Bool) async throws {
        let end = ContinuousClock.now + Self.timeout
        while !isTrue() {
            guard ContinuousClock.now < end else { throw Missing(description: what) }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Soft colours with a little noise.
    @concurrent
    private nonisolated static func picture() async -> Texture? {
        var line = [UInt8](repeating: 255, count: (width + height) * 4)
        var noise: UInt32 = 1
        for index in line.indices where index % 4 != 3 {
            noise = noise &* 1_664_525 &+ 1_013_904_223
            line[index] = UInt8(truncatingIfNeeded: index / 64 + Int(noise >> 30))
        }
        var pixels: [UInt8] = []
        pixels.reserveCapacity(width * height * 4)
        for row in 0..<height { pixels += line[(row * 4)..<((row + width) * 4)] }
        return await Texture(pixels: pixels, width: width, height: height, stride: width * 4)
    }
}
