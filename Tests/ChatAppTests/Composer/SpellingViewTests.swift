import CGTK
import Foundation
import SpellChecking
import Testing
import WindowFixtures

@testable import ChatApp
@testable import GTKBinding

extension WindowTests {
    @MainActor
    @Suite("Spelling in the input field")
    struct SpellingViewTests {
        init() throws { try #require(Toolkit.isReady) }

        /// A field with two wrong words and the focus.
        private func field(_ sample: WritingSample) async throws -> (Window, ComposerView, Spelling) {
            sample.spelling = SpellChecker(languages: ["en_US"])
            let view = sample.view()
            let window = Window("Writing", width: 520, height: 200, Box.vertical(Label().expand(.vertical), view.root))
            window.present()
            view.focus()
            await Toolkit.settle()
            view.entry.insert("Teh rose smels sweet")
            let spelling = try #require(view.spelling)
            #expect(await Toolkit.eventually { spelling.marked == [0..<3, 9..<14] })
            #expect(await Toolkit.eventually { "\(spelling.entries(for: "smels"))".contains("smells") })
            return (window, view, spelling)
        }

        private func end(_ window: Window, _ view: ComposerView) async {
            view.entry.text = ""
            await view.close()
            window.destroy()
            await Toolkit.settle()
        }

        @Test("a misspelled word is underlined and its suggestions are in the menu; the word at the cursor waits")
        func underlined() async throws {
            let sample = try await WritingSample()
            let (window, view, spelling) = try await field(sample)
            await Toolkit.picture(window, "composer-spelling")
            view.entry.cursor = 11
            // What the user does not want is not underlined.
            sample.checksSpelling = false
            view.entry.insert("x")
            #expect(await Toolkit.eventually { spelling.marked.isEmpty })
            await end(window, view)
        }

        @Test("the menu of a misspelled word replaces it, or adds it to the dictionary of all programs")
        func menu() async throws {
            let sample = try await WritingSample()
            setenv("ENCHANT_CONFIG_DIR", sample.folder, 1)
            defer { unsetenv("ENCHANT_CONFIG_DIR") }
            let (window, view, spelling) = try await field(sample)
            func choose(_ entry: String, at place: Int) async {
                view.entry.cursor = place
                #expect(await Toolkit.eventually { gtk_text_view_get_extra_menu(view.entry.cast()) != nil })
                #expect(view.entry.activate("menu.popup"))
                #expect(await WindowCrawler.click(entry, in: window))
            }
            await choose("smells", at: 11)
            #expect(await Toolkit.eventually { view.entry.text == "Teh rose smells sweet" })
            #expect(await Toolkit.eventually { spelling.marked == [0..<3] })
            #expect(await Toolkit.eventually { gtk_text_view_get_extra_menu(view.entry.cast()) == nil })
            await choose("Add “Teh” to the Dictionary", at: 1)
            #expect(await Toolkit.eventually { spelling.marked.isEmpty })
            #expect(view.entry.text == "Teh rose smells sweet")
            #expect(await SpellChecker(languages: ["en_US"]).misspelled(in: "Teh rose") == [])
            #expect(try String(contentsOfFile: sample.folder + "/en_US.dic", encoding: .utf8) == "Teh\n")
            await end(window, view)
        }
    }
}
