package io.github.vertxrdma.functions.impl;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class AccountsTest {
  @TempDir
  Path folder;
  private final Vertx vertx = Vertx.vertx();

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
  }

  @AfterEach
  void close() throws Exception {
    await(vertx.close());
  }

  @Test
  void freedRowIsZeroForTheNextLease() throws Exception {
    Rdma rdma = Rdma.create(vertx, new RdmaOptions().setFabric("memory").setDirectory(new DirectoryOptions()
      .setType(DirectoryOptions.SAME_HOST).setPath(folder.resolve("directory").toString())));
    Accounts accounts = await(Accounts.open(rdma, "accounts"));
    RemoteRegion region = await(rdma.openRegion("accounts"));
    int row = accounts.take();
    await(Accounts.add(region, row, Accounts.EXECUTION, 1_000));
    await(Accounts.add(region, row, Accounts.INVOCATIONS, 7));
    await(accounts.free(row));
    assertEquals(row, accounts.take());
    assertEquals(0, await(region.read((long) row * Accounts.ROW, Accounts.ROW)).getLong(Accounts.EXECUTION));
    assertEquals(0, await(region.read((long) row * Accounts.ROW, Accounts.ROW)).getLong(Accounts.INVOCATIONS));
  }
}
