public import ChatStore
internal import Foundation

extension MessageTime {
    /// What this device's clock says.
    public static var now: MessageTime {
        MessageTime(millisecondsSince1970: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }
}
