package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.functions.Bill;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Counters of a server's leases: a region with a row of four counters for each lease, in native byte order. Workers and the server add with
 * remote atomics. Times are in nanoseconds.
 */
final class Accounts {
  static final int ALLOCATION = 0;
  static final int HOT = 8;
  static final int EXECUTION = 16;
  static final int INVOCATIONS = 24;
  static final int ROW = 32;
  static final int ROWS = 4096;

  private final MemoryRegion region;
  /** The server also adds with remote atomics, which are not atomic with those of the CPU. */
  private final OpenAccounts opened;
  private final BitSet taken = new BitSet(ROWS);

  private Accounts(MemoryRegion region, OpenAccounts opened) {
    this.region = region;
    this.opened = opened;
  }

  static Future<Accounts> open(Rdma rdma, String name) {
    return rdma.createRegion(new RegionOptions().setName(name).setSize((long) ROWS * ROW).setAccess(RegionAccess.READ, RegionAccess.ATOMIC))
      .compose(region -> {
        Accounts accounts = new Accounts(region, new OpenAccounts(() -> rdma.openRegion(name)));
        return accounts.opened.region().map(accounts);
      });
  }

  String name() {
    return region.name();
  }

  /** Returns an unused row of zeros; -1 if all are in use. */
  int take() {
    int row = taken.nextClearBit(0);
    if (row == ROWS) {
      return -1;
    }
    taken.set(row);
    return row;
  }

  static Future<Void> add(RemoteRegion accounts, int row, int counter, long amount) {
    return amount == 0 ? Future.succeededFuture() : accounts.fetchAndAdd((long) row * ROW + counter, amount).mapEmpty();
  }

  Future<Bill> bill(GrantedLease lease) {
    return opened.region().compose(accounts -> {
      long now = System.nanoTime();
      long since = lease.accounted;
      lease.accounted = now;
      return add(accounts, lease.row, ALLOCATION, (now - since) * lease.workers.size())
        .compose(v -> accounts.read((long) lease.row * ROW, ROW))
        .map(counters -> bill(lease, counters));
    });
  }

  private static Bill bill(GrantedLease lease, Buffer counters) {
    ByteBuffer row = ByteBuffer.wrap(counters.getBytes()).order(ByteOrder.nativeOrder());
    return new Bill(lease.name(), lease.client, lease.workers.size(), lease.allMemory(), row.getLong(ALLOCATION), row.getLong(HOT),
      row.getLong(EXECUTION), row.getLong(INVOCATIONS));
  }

  /** Sets a row to zero and frees it. The row stays in use if that fails. */
  Future<Void> free(int row) {
    return opened.region().compose(accounts -> accounts.read((long) row * ROW, ROW).compose(read -> {
      ByteBuffer counters = ByteBuffer.wrap(read.getBytes()).order(ByteOrder.nativeOrder());
      List<Future<Void>> back = new ArrayList<>();
      for (int counter = 0; counter < ROW; counter += Long.BYTES) {
        back.add(add(accounts, row, counter, -counters.getLong(counter)));
      }
      return Future.all(back);
    })).onSuccess(v -> taken.clear(row)).mapEmpty();
  }

  Future<Void> close() {
    return opened.close().compose(v -> region.close());
  }
}
