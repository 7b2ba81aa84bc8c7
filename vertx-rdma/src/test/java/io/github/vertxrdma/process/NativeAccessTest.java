package io.github.vertxrdma.process;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process that may not call native code: nodes meet all the same, and say once what they do without. */
@Timeout(120)
class NativeAccessTest {
  @TempDir
  Path folder;

  @Test
  void withoutItNodesMeetOverMappedFiles() throws Exception {
    Process child = new ProcessBuilder(ProcessHandle.current().info().command().orElse("java"), "-XX:+UseSerialGC", "--illegal-native-access=deny",
      "-cp", System.getProperty("java.class.path"), Meeting.class.getName(), folder.resolve("directory").toString()).redirectErrorStream(true).start();
    try {
      String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(0, child.waitFor(), said);
      assertTrue(said.contains("met over shm"), said);
      assertEquals(1, said.lines().filter(line -> line.contains("may not call native code, so ") && line.contains("shm (mapped files)")
        && line.contains("--enable-native-access=ALL-UNNAMED")).count(), said);
    } finally {
      child.destroyForcibly();
    }
  }

  /** Two nodes of one process, of which one echoes. */
  static final class Meeting {
    private Meeting() {
    }

    /** @param arguments the folder of the directory */
    public static void main(String[] arguments) throws Exception {
      RdmaOptions options = new RdmaOptions().setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(arguments[0]));
      Vertx one = Vertx.vertx();
      Vertx other = Vertx.vertx();
      await(Rdma.create(one, options).createServer().connectHandler(c -> c.handler(c::write)).listen("echo"));
      RdmaConnection connection = await(Rdma.create(other, options).connect("echo"));
      Promise<Buffer> echo = Promise.promise();
      connection.handler(echo::tryComplete);
      connection.write(Buffer.buffer("hello"));
      System.out.println("met over " + connection.fabric().device() + ": " + await(echo.future()));
      await(other.close());
      await(one.close());
    }
  }
}
