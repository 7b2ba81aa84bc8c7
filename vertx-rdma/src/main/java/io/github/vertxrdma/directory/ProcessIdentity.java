package io.github.vertxrdma.directory;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.impl.peers.EntryJson;
import io.github.vertxrdma.impl.process.ThisProcess;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.stream.Stream;

/**
 * Location of a process, which shows whether two processes can share memory or a loopback interface. Empty and 0 mean unknown.
 *
 * @param netNamespace inode of the network namespace, namespaces(7)
 * @param pidNamespace inode of the PID namespace
 * @param uid user id, or -1
 * @param pid in its PID namespace
 * @param process random number
 * @param host name for reports
 * @param folder device and inode of each runtime folder, separated by blanks; equal for processes that share the folder, also in different
 *     containers
 */
public record ProcessIdentity(long netNamespace, long pidNamespace, long uid, long pid, long process, String host, String folder) {
  /** Unknown identity, as of a configured peer. */
  public static final ProcessIdentity UNKNOWN = new ProcessIdentity(0, 0, -1, 0, 0, "");

  public ProcessIdentity {
    EntryJson.checkText("host", host);
    EntryJson.checkText("folder", folder);
  }

  public ProcessIdentity(long netNamespace, long pidNamespace, long uid, long pid, long process, String host) {
    this(netNamespace, pidNamespace, uid, pid, process, host, "");
  }

  /** Returns this process's identity. The first call reads files in /proc. */
  public static ProcessIdentity current() {
    return ThisProcess.IDENTITY;
  }

  public ProcessIdentity withFolder(String newFolder) {
    return new ProcessIdentity(netNamespace, pidNamespace, uid, pid, process, host, newFolder);
  }

  /** Returns whether both processes share a runtime folder. They may still be on different hosts. */
  public boolean sameFolder(ProcessIdentity other) {
    List<String> others = List.of(other.folder.split(" "));
    return !folder.isEmpty() && Stream.of(folder.split(" ")).anyMatch(others::contains);
  }

  public boolean sameProcess(ProcessIdentity other) {
    return process != 0 && process == other.process;
  }

  public JsonObject toJson() {
    return new JsonObject().put("net", Long.toHexString(netNamespace)).put("pidns", Long.toHexString(pidNamespace))
      .put("uid", uid).put("pid", pid).put("process", Long.toHexString(process)).put("host", host)
      .put("folder", folder);
  }

  /** Decodes the JSON of {@link #toJson}. All fields are optional. */
  public static ProcessIdentity fromJson(JsonObject json) {
    return new ProcessIdentity(EntryJson.hex(json, "net"), EntryJson.hex(json, "pidns"),
      json.getLong("uid", -1L), json.getLong("pid", 0L), EntryJson.hex(json, "process"), json.getString("host", ""),
      json.getString("folder", ""));
  }

  void write(Cursor out) {
    // Earlier versions write the boot id of their host in the first field, and compare it if both sides have one.
    out.text(4, "").i64(netNamespace).i64(pidNamespace).i64(uid).i64(pid).i64(process).text(4, host);
  }

  static ProcessIdentity read(Cursor in) {
    in.text(4);
    return new ProcessIdentity(in.i64(), in.i64(), in.i64(), in.i64(), in.i64(), in.text(4).intern());
  }
}
