import ChatFixtures
import ChatModel
import ChatStore
import Foundation
import Media
import Testing

@Suite("Pictures to send")
@MainActor
struct PictureChoiceTests {
    @Test("each quality shows size and dimensions before sending; the chosen one is stored by its hash")
    func options() async throws {
        let folder = try SpareFolder()
        let contents = try await MediaCache.open(at: folder.path + "/content", budget: 1 << 30)
        let choice = PictureChoice(Sample.bitmap(width: 2400, height: 240), name: "../garden.bmp")
        await choice.prepare()
        #expect(choice.problem == nil)
        #expect(choice.options.map(\.quality) == [.small, .high, .original])
        #expect(choice.options.map(\.width) == [1280, 2048, 2400])
        #expect(choice.options.map(\.byteCount) == choice.options.map(\.byteCount).sorted())
        choice.quality = .small
        let attachment = try #require(try await choice.attachment(in: contents))
        #expect(attachment.width == 1280 && attachment.height == 128)
        #expect(attachment.size.map(Int.init) == choice.options.first?.byteCount)
        let hash = try #require(attachment.contentHash.flatMap { ContentHash($0) })
        let bytes = try #require(try await contents.content(of: hash))
        #expect(bytes.count == choice.options.first?.byteCount)
        let thumbnail = try PictureFile.inspect(try #require(attachment.thumbnail))
        #expect(max(thumbnail.width, thumbnail.height) == PictureChoice.thumbnailSide)
    }

    @Test("S0-99: a file that is not a picture is reported, not sent")
    func noPicture() async throws {
        let folder = try SpareFolder()
        let contents = try await MediaCache.open(at: folder.path + "/content", budget: 1 << 30)
        let choice = PictureChoice(Array("hello".utf8))
        #expect(try await choice.attachment(in: contents) == nil)
        #expect(choice.problem != nil)
        #expect(choice.options.isEmpty)
    }

    @Test("pictures that are added one after the other keep their order, whichever is scaled first")
    func order() async throws {
        let selection = OutgoingSelection()
        let (large, small) = (Sample.bitmap(width: 3000, height: 2000), Sample.bitmap(width: 8, height: 8))
        let adding = [(large, "large.bmp"), (small, "small.bmp")].map { bytes, name in
            Task { await selection.add(bytes, name: name) }
        }
        for task in adding { await task.value }
        #expect(selection.items.map(\.name) == ["large.bmp", "small.bmp"])
    }

    @Test("files and pictures are selected together; sizes add up, and unreadable files are reported")
    func selection() async throws {
        let folder = try SpareFolder()
        let contents = try await MediaCache.open(at: folder.path + "/content", budget: 1 << 30)
        let picture = Sample.bitmap(width: 2400, height: 240)
        try Data(picture).write(to: URL(filePath: folder.path + "/garden.bmp"))
        try Data("hello".utf8).write(to: URL(filePath: folder.path + "/letter.txt"))
        let selection = OutgoingSelection()
        await selection.add(
            paths: [folder.path + "/garden.bmp", folder.path + "/letter.txt", folder.path, folder.path + "/none"])
        await selection.add(picture, name: "pasted.bmp")
        #expect(selection.items.map(\.name) == ["garden.bmp", "letter.txt", "pasted.bmp"])
        #expect(selection.refused.count == 2 && !selection.isPreparing && selection.hasPictures)
        let sizes = PictureChoice.Quality.allCases.map { selection.byteCount(in: $0) }
        #expect(sizes[0] < sizes[1] && sizes[1] < sizes[2])
        selection.quality = .small
        selection.remove(selection.items[2].id)
        let attachments = try await selection.attachments(in: contents)
        #expect(attachments.map(\.kind) == [.picture, .file])
        #expect(attachments.map(\.width) == [1280, nil] && attachments[1].size == 5)
        #expect(attachments.compactMap(\.size).reduce(0, +) == Int64(selection.byteCount(in: .small)))
    }
}
