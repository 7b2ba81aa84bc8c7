package io.github.vertxrdma.differential;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * A class path of jars alone, and an archive of the programs' classes, which halves the start of a process.
 *
 * @param options of a process that uses the archive
 */
record Archive(String classPath, List<String> options) {
  private static Archive shared;

  /** Creates both from the class path of this process once, and deletes them at its end. */
  static synchronized Archive shared() throws IOException, InterruptedException {
    if (shared == null) {
      Path folder = Files.createTempDirectory("archive");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
      shared = in(folder);
    }
    return shared;
  }

  private static void delete(Path folder) {
    try {
      DifferentialRun.delete(folder);
    } catch (IOException e) {
      // A process that has not ended yet writes into the folder.
    }
  }

  static Archive in(Path folder) throws IOException, InterruptedException {
    Files.createDirectories(folder);
    List<String> entries = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      Path path = Path.of(entry);
      if (Files.isDirectory(path)) {
        entries.add(jar(path, folder.resolve(entries.size() + ".jar")).toString());
      } else if (Files.exists(path) && !entry.contains("junit") && !entry.contains("surefire")) {
        entries.add(entry);
      }
    }
    String classPath = String.join(File.pathSeparator, entries);
    Path archive = folder.resolve("classes.jsa");
    train(classPath, folder, List.of("-XX:ArchiveClassesAtExit=" + archive, "-Xlog:cds=off", "-Xlog:cds+dynamic=off"));
    return new Archive(classPath, Files.exists(archive) ? List.of("-XX:SharedArchiveFile=" + archive, "-Xlog:cds=off") : List.of());
  }

  private static Path jar(Path directory, Path jar) throws IOException {
    try (OutputStream out = Files.newOutputStream(jar);
      ZipOutputStream zip = new ZipOutputStream(out);
      Stream<Path> files = Files.walk(directory)) {
      zip.setLevel(Deflater.BEST_SPEED);
      files.filter(Files::isRegularFile).forEach(file -> {
        try {
          zip.putNextEntry(new ZipEntry(directory.relativize(file).toString()));
          Files.copy(file, zip);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      });
    }
    return jar;
  }

  /** Runs one process that writes to itself with each kind. */
  private static void train(String classPath, Path folder, List<String> options) throws IOException, InterruptedException {
    Processes processes = new Processes(Lane.SHM, true, classPath, options, folder);
    try (Child child = processes.reader()) {
      child.await("ready", Child.PATIENCE_SECONDS);
      JsonArray rows = new JsonArray();
      for (Kind kind : Kind.values()) {
        if (kind.isDialledByReader()) {
          continue;
        }
        rows.add(new JsonObject().put("index", rows.size()).put("kind", kind.name()).put("load", "64 await").put("reader", "READS"));
      }
      JsonObject ports = child.ask(GroupRun.command("serve").put("rows", rows), "serving");
      rows.forEach(row -> ((JsonObject) row).put("port", ports.getInteger(((JsonObject) row).getInteger("index").toString())));
      child.ask(GroupRun.command("prepare").put("rows", rows).put("ending", Ending.VERTX_CLOSE.name()), "prepared");
      child.send(GroupRun.command("run"));
      child.exitCode(2 * Child.PATIENCE_SECONDS);
    }
  }
}
