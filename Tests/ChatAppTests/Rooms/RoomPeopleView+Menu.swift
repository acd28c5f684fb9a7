import ChatEngine
import WindowFixtures

@testable import ChatApp
@testable import GTKBinding

@MainActor
extension RoomPeopleView {
    /// The rows that have a widget in the small rooms of tests.
    private static let rows = 0..<10

    /// The row of a person.
    func index(of nickname: String) -> Int? { Self.rows.first { list.row(at: $0)?.row?.nickname == nickname } }

    /// Opens the menu of a person with the keyboard, as soon as no other one is open and the person is as it must be.
    func openMenu(
        of nickname: String, when isReady: @escaping @MainActor (RoomState.Person) -> Bool = { _ in true }
    ) async -> Popover? {
        let isOpen = await Toolkit.eventually { [self] in
            guard menu?.isMapped != true, let index = index(of: nickname),
                let person = list.row(at: index)?.row?.person, isReady(person)
            else { return false }
            return list.focus(on: index) && showMenuOfFocused()
        }
        return isOpen ? menu : nil
    }
}
