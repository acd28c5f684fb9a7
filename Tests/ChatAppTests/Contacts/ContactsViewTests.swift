import ChatEngine
import ChatModel
import ChatStore
import Testing
import WindowFixtures

@testable import ChatApp
@testable import GTKBinding

extension WindowTests {
    @MainActor
    @Suite("The list of contacts")
    struct ContactsViewTests {
        init() throws { try #require(Toolkit.isReady) }

        private func names(_ view: ContactsView) -> [String] {
            view.items.map { item in
                switch item.content {
                case .heading(let section, let count): "\(section) \(count)"
                case .contact(let row): row.name
                }
            }
        }

        private func window(_ view: ContactsView) -> Window {
            let window = Window("Contacts", width: 360, height: 560, Box.vertical(view.root.expand(.horizontal)))
            window.present()
            return window
        }

        @Test(
            "S0-88, S1-25, S2-17, S2-31, S2-32, S2-35: contacts are in sections by name, and move between them; others are hidden"
        )
        func sections() async throws {
            let sample = try await ContactsSample()
            try await sample.people()
            // No contact: without a subscription and a request.
            try await sample.save("abram", .none)
            let view = sample.context.contactsView()
            let window = window(view)
            await Toolkit.settle()
            #expect(
                names(view) == [
                    "online 2", "Romeo Montague", "张三", "away 1", "Nurse", "offline 4",
                    "Benvolio with a rather long name that nobody would ever write down", "Count Paris", "mercutio",
                    "Tybalt",
                ])
            await Toolkit.picture(window, "contacts")
            try sample.show(["mercutio": ContactPresence(section: .away)])
            #expect(names(view).prefix(3) == ["away 1", "mercutio", "offline 6"])
            try await sample.save("mercutio", remark: "Mercutio")
            #expect(await Toolkit.eventually { names(view).contains("Mercutio") })
            try await sample.remove("mercutio")
            #expect(await Toolkit.eventually { names(view).first == "offline 6" })
            window.destroy()
            await sample.home.stop()
        }

        @Test("with groups the list shows one of them, or all")
        func groups() async throws {
            let sample = try await ContactsSample()
            try await sample.save("nurse", remark: "Nurse", groups: ["Household"])
            try await sample.save("tybalt", remark: "Tybalt", groups: ["Family"])
            let view = sample.context.contactsView()
            let window = window(view)
            #expect(await Toolkit.eventually { view.group.groups == ["Family", "Household"].map { sampleWords($0) } })
            #expect(view.group.button.isVisible)
            view.group.choose(sampleWords("Household"))
            #expect(view.items.compactMap { $0.contact?.name } == [sampleWords("Nurse")])
            await Toolkit.picture(window, "contacts-group")
            // The last member of the group leaves it.
            try await sample.save("nurse", remark: "Nurse")
            #expect(await Toolkit.eventually { view.items.compactMap { $0.contact }.count == 2 })
            try await sample.save("tybalt", remark: "Tybalt")
            #expect(await Toolkit.eventually { !view.group.button.isVisible })
            window.destroy()
            await sample.home.stop()
        }

        @Test("typing finds contacts by name and address; an unknown address can be added")
        func search() async throws {
            let sample = try await ContactsSample()
            try await sample.people()
            let view = sample.context.contactsView()
            let window = window(view)
            var opened: [ConversationKey] = []
            view.onOpen = { opened.append($0) }
            view.find("mon")
            #expect(names(view) == ["online 1", "Romeo Montague"])
            view.find("TYBALT@verona")
            #expect(names(view) == ["offline 1", "Tybalt"])
            // Other views share the model's list; a search here does not affect them.
            #expect(sample.home.contacts.rows.elements.count == 7)
            view.find("rosaline")
            #expect(view.page == "nothing")
            await Toolkit.picture(window, "contacts-nothing")
            view.search.text = "zhang"
            // At once, before the field reports the change.
            view.search.emit("activate")
            #expect(opened.map(\.address.local) == ["zhang"])
            view.clearSearch()
            #expect(view.page == "list" && names(view).count == 10)
            window.destroy()
            await sample.home.stop()
        }

        @Test("S1-27: a click opens the conversation, headings do nothing, and the keyboard opens the menu")
        func opening() async throws {
            let sample = try await ContactsSample()
            try await sample.people()
            let view = sample.context.contactsView()
            let window = window(view)
            await Toolkit.settle()
            var opened: [ConversationKey] = []
            view.onOpen = { opened.append($0) }
            var kinds: [Int: Bool] = [:]
            view.list.forEachRow { kinds[$0] = $1.isActivatable }
            #expect(kinds[0] == false && kinds[1] == true && kinds[3] == false)
            view.open(1)
            view.open(0)
            #expect(opened.map(\.address.local) == ["romeo"])
            #expect(view.list.grabFocus())
            #expect(await Toolkit.eventually { view.list.focused != nil })
            // The first row is a heading, which has no menu.
            #expect(view.list.focused == 0 && !view.showMenuOfFocused())
            view.list.forEachRow { index, row in
                guard index == 1, case .contact(let contact)? = row.item?.content else { return }
                row.onMenu(contact, row.root, 10, 10)
            }
            await Toolkit.settle()
            window.destroy()
            await sample.home.stop()
        }

        @Test("a new user is told what to do")
        func empty() async throws {
            let sample = try await ContactsSample()
            let view = sample.context.contactsView()
            let window = window(view)
            #expect(view.page == "empty")
            await Toolkit.picture(window, "contacts-empty")
            try await sample.save("romeo")
            #expect(await Toolkit.eventually { view.page == "list" })
            window.destroy()
            await sample.home.stop()
        }

        @Test("a closed list leaves nothing behind")
        func leaks() async throws {
            let sample = try await ContactsSample()
            try await sample.people()
            await Toolkit.settle()
            let (objects, rows) = (Object.liveCount, ListRows.liveCount)
            do {
                let view = sample.context.contactsView()
                let window = window(view)
                await Toolkit.settle()
                #expect(ListRows.liveCount > rows)
                let menu = await ContactMenu.menu(sample.context.contactActions(try sample.row("romeo")))
                #expect(menu != nil)
                window.destroy()
            }
            #expect(await Toolkit.eventually { Object.liveCount <= objects && ListRows.liveCount <= rows })
            await sample.home.stop()
        }
    }
}
