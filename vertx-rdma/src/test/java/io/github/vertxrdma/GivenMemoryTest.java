package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class GivenMemoryTest extends FabricPair {
  private static final RegionAccess[] ALL = RegionAccess.values();

  private void refused(String words, MemorySegment memory, RegionOptions options) {
    String told = assertThrows(IllegalArgumentException.class, () -> server.createRegion(memory, options)).getMessage();
    assertTrue(told.contains(words), told);
  }

  @Test
  void unsuitableMemoryIsRefusedByName() {
    RegionOptions options = new RegionOptions().setName("refused").setAccess(ALL);
    refused("on the Java heap", MemorySegment.ofArray(new long[8]), options);
    refused("0 bytes", Arena.global().allocate(0), options);
    refused("a multiple of 8", Arena.global().allocate(64, 8).asSlice(1), options);
    refused("is read-only", Arena.global().allocate(64, 8).asReadOnly(), options);
    refused("remove size and file", Arena.global().allocate(64, 8), new RegionOptions(options).setSize(65));
    refused("remove size and file", Arena.global().allocate(64, 8), new RegionOptions(options).setFile("content"));
    MemorySegment freed;
    try (Arena confined = Arena.ofConfined(); Arena shared = Arena.ofShared()) {
      refused("only be used by one thread", confined.allocate(64, 8), options);
      freed = shared.allocate(64, 8);
    }
    refused("was already freed", freed, options);
  }

  @Test
  void aMappedFileIsReadAndNotWritten() throws Exception {
    Path file = Files.writeString(folder.resolve("mapped"), "what the file has");
    try (Arena arena = Arena.ofShared(); FileChannel channel = FileChannel.open(file)) {
      MemorySegment mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
      MemoryRegion region = await(server.createRegion(mapped, new RegionOptions().setName("mapped").setAccess(RegionAccess.READ)));
      RemoteRegion remote = await(client.openRegion("mapped"));
      assertEquals("what the file has", await(remote.read(0, (int) remote.size())).toString());
      assertEquals(Reason.ACCESS_DENIED, reason(remote.write(0, Buffer.buffer("x"))));

      MemoryRegion target = await(client.createRegion(new RegionOptions().setName("target").setSize(64).setAccess(ALL)));
      RemoteRegion far = await(server.openRegion("target"));
      await(far.write(8, region, 0, region.size()));
      assertEquals("what the file has", Buffer.buffer(target.segment().asSlice(8, region.size()).toArray(ValueLayout.JAVA_BYTE))
        .toString());
      assertEquals(Reason.ACCESS_DENIED, reason(far.read(0, region, 0, 8)));
      await(region.close());
    }
  }

  @Test
  void aDirectBufferIsShared() throws Exception {
    ByteBuffer direct = ByteBuffer.allocateDirect(4096);
    MemoryRegion region = await(server.createRegion(MemorySegment.ofBuffer(direct), new RegionOptions().setName("direct").setAccess(ALL)));
    await(await(client.openRegion("direct")).write(100, Buffer.buffer("into it")));
    byte[] there = new byte[7];
    direct.get(100, there);
    assertArrayEquals("into it".getBytes(), there);
    await(region.close());
  }
}
