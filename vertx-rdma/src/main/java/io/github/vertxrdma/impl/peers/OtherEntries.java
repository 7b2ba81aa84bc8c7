package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.directory.DirectoryEntry;
import java.io.IOException;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Entries of another node in its file of the same-host directory. Appended records are read without the rest of the file. Confined to the
 * directory's thread.
 */
final class OtherEntries {
  private final SameHostFile file;
  private final Map<String, DirectoryEntry> entries = new LinkedHashMap<>();
  private final Set<String> nodeIds = new HashSet<>();
  private FileTime modified;
  private long size;
  private String fileKey;
  /** Identity of the content that was read, up to {@code position}. */
  private String contentId = "";
  private long position;

  /** Removed and added entries, a changed one among both, and the number of bytes read. */
  record Changes(List<DirectoryEntry> removed, List<DirectoryEntry> added, int bytes) {
  }

  OtherEntries(SameHostFile file) {
    this.file = file;
  }

  Set<String> nodeIds() {
    return nodeIds;
  }

  List<DirectoryEntry> all() {
    return List.copyOf(entries.values());
  }

  DirectoryEntry get(String key) {
    return entries.get(key);
  }

  boolean isUpToDate(BasicFileAttributes now) {
    return now.lastModifiedTime().equals(modified) && now.size() == size && Objects.equals(String.valueOf(now.fileKey()), fileKey);
  }

  /**
   * Reads the changes. An exception leaves the entries unchanged.
   *
   * @param now attributes before the call
   * @throws IllegalArgumentException if the file has no entries
   */
  Changes read(BasicFileAttributes now) throws IOException {
    SameHostFile.Part part = file.read(contentId, position);
    Map<String, DirectoryEntry> records = new LinkedHashMap<>();
    int length = SameHostFile.records(part.records(), records::put);
    Changes changes = new Changes(new ArrayList<>(), new ArrayList<>(), part.records().length());
    if (part.from() == 0) {
      entries.keySet().stream().filter(key -> !records.containsKey(key)).toList().forEach(key -> change(key, null, changes));
    }
    records.forEach((key, entry) -> change(key, entry, changes));
    contentId = part.contentId();
    position = part.from() + length;
    modified = now.lastModifiedTime();
    size = now.size();
    fileKey = String.valueOf(now.fileKey());
    return changes;
  }

  private void change(String key, DirectoryEntry entry, Changes changes) {
    DirectoryEntry before = entries.get(key);
    if (Objects.equals(before, entry)) {
      return;
    }
    if (before != null) {
      changes.removed.add(before);
    }
    if (entry == null) {
      entries.remove(key);
    } else {
      // The cache interns its keys too, so both share one string.
      entries.put(key.intern(), entry);
      nodeIds.add(entry.nodeId());
      changes.added.add(entry);
    }
  }
}
