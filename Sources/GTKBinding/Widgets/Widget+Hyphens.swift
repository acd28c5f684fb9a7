internal import CGTK

extension Widget {
    /// Inserts no hyphen where a line of one of its labels ends within a word: in an address it would be read as a part of it.
    func breaksWordsWithoutHyphens() {
        func visit(_ widget: UnsafeMutablePointer<GtkWidget>) {
            let instance = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GTypeInstance.self)
            if g_type_check_instance_is_a(instance, gtk_label_get_type()).isTrue {
                let label = OpaquePointer(widget)
                let attributes =
                    gtk_label_get_attributes(label).flatMap { pango_attr_list_copy($0) } ?? pango_attr_list_new()
                pango_attr_list_insert(attributes, pango_attr_insert_hyphens_new(0))
                gtk_label_set_attributes(label, attributes)
                pango_attr_list_unref(attributes)
            }
            var child = gtk_widget_get_first_child(widget)
            while let next = child {
                visit(next)
                child = gtk_widget_get_next_sibling(next)
            }
        }
        visit(widget)
    }
}
