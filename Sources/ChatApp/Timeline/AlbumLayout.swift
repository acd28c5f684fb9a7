/// The arrangement of several pictures in a bubble: rows of two or three.
enum AlbumLayout {
    /// In pixels.
    static let (width, gap) = (320, 2)

    /// How many pictures each row has.
    static func rows(_ count: Int) -> [Int] {
        switch count {
        case ...1: Array(repeating: 1, count: max(0, count))
        case 2, 4: Array(repeating: 2, count: count / 2)
        case 3: [1, 2]
        default:
            switch count % 3 {
            case 0: Array(repeating: 3, count: count / 3)
            case 1: [2, 2] + Array(repeating: 3, count: (count - 4) / 3)
            default: [2] + Array(repeating: 3, count: (count - 2) / 3)
            }
        }
    }

    /// The size of a picture in a row of that many.
    static func tile(_ count: Int) -> (width: Int, height: Int) {
        let side = (width - gap * (count - 1)) / max(1, count)
        return (side, count == 1 ? width * 9 / 16 : side)
    }
}
