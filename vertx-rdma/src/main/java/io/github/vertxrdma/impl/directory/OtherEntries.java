package io.github.vertxrdma.impl.directory;

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
 * Entries of another node in its file of the same-host directory. Where it was only added to since it was read, what was added is read
 * alone. Confined to the directory's thread.
 */
final class OtherEntries {
  private final SameHostFile file;
  private final Map<String, DirectoryEntry> entries = new LinkedHashMap<>();
  private final Set<String> nodeIds = new HashSet<>();
  private FileTime modified;
  private long size;
  private String fileKey;
  /** The writing that was read, and up to where. */
  private String writing = "";
  private long position;

  /** Entries that went, as they were, and that came, one that changed among both; and the bytes that were read. */
  record Changes(List<DirectoryEntry> gone, List<DirectoryEntry> come, int bytes) {
  }

  OtherEntries(SameHostFile file) {
    this.file = file;
  }

  /** The nodes that it has had entries of. */
  Set<String> nodeIds() {
    return nodeIds;
  }

  /** All, in the order of the file. */
  List<DirectoryEntry> all() {
    return List.copyOf(entries.values());
  }

  /** The entry of that key; null if there is none. */
  DirectoryEntry get(String key) {
    return entries.get(key);
  }

  boolean isUpToDate(BasicFileAttributes now) {
    return now.lastModifiedTime().equals(modified) && now.size() == size && Objects.equals(String.valueOf(now.fileKey()), fileKey);
  }

  /**
   * Reads what is new.
   *
   * @param now as the file was before this
   * @throws IOException with all as it was
   * @throws IllegalArgumentException if it holds no entries, likewise
   */
  Changes read(BasicFileAttributes now) throws IOException {
    SameHostFile.Part part = file.read(writing, position);
    Map<String, DirectoryEntry> records = new LinkedHashMap<>();
    int length = SameHostFile.records(part.records(), records::put);
    Changes changes = new Changes(new ArrayList<>(), new ArrayList<>(), part.records().length());
    if (part.from() == 0) {
      entries.keySet().stream().filter(key -> !records.containsKey(key)).toList().forEach(key -> change(key, null, changes));
    }
    records.forEach((key, entry) -> change(key, entry, changes));
    writing = part.writing();
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
      changes.gone.add(before);
    }
    if (entry == null) {
      entries.remove(key);
    } else {
      // The cache of what is known interns its keys too: both have one string.
      entries.put(key.intern(), entry);
      nodeIds.add(entry.nodeId());
      changes.come.add(entry);
    }
  }
}
