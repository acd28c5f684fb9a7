internal import ChatEngine
internal import ChatModel
internal import GTKBinding

/// One of the rooms that a service names to everybody.
final class RoomListingRow: ListRow {
    let root: Widget
    private let name = Label().ellipsize().textAlignment(0)
    private let address = Label().ellipsize(inMiddle: true).textAlignment(0).css("caption", "dim-label")

    init() {
        root = Box.vertical(spacing: 2, name, address).margins(horizontal: 12, vertical: 8)
    }

    func show(_ item: RoomListing) {
        name.text = item.name
        address.text = item.address.description
        root.accessible(label: "\(item.name), \(item.address)")
    }
}
