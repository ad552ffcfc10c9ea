;; The loops that a tail of losses spends its time in: tail-kernel.ts says what they do and why they are written here.
;; An address is a byte offset into the memory; losses, returns, notionals and values are doubles, an order's slots 16 bit,
;; scenarios and the addresses of columns 32 bit.
(module
  (import "tails" "memory" (memory 16 32768 shared))

  ;; Losses of the eight slots of a block, 0 - sum of notional x return, position by position: two slots a vector.
  (func $fillBlock
    (param $slot i32) (param $losses i32) (param $columns i32) (param $notionals i32) (param $positions i32)
    (local $first i32) (local $end i32) (local $at i32) (local $notional v128)
    (local $loss01 v128) (local $loss23 v128) (local $loss45 v128) (local $loss67 v128)
    (local.set $first (i32.shl (i32.and (local.get $slot) (i32.const -8)) (i32.const 3)))
    (local.set $end (i32.add (local.get $columns) (i32.shl (local.get $positions) (i32.const 2))))
    (block $done
      (loop $position
        (br_if $done (i32.ge_u (local.get $columns) (local.get $end)))
        (local.set $at (i32.add (i32.load (local.get $columns)) (local.get $first)))
        (local.set $notional (v128.load64_splat (local.get $notionals)))
        (local.set $loss01
          (f64x2.sub (local.get $loss01) (f64x2.mul (local.get $notional) (v128.load (local.get $at)))))
        (local.set $loss23
          (f64x2.sub (local.get $loss23) (f64x2.mul (local.get $notional) (v128.load offset=16 (local.get $at)))))
        (local.set $loss45
          (f64x2.sub (local.get $loss45) (f64x2.mul (local.get $notional) (v128.load offset=32 (local.get $at)))))
        (local.set $loss67
          (f64x2.sub (local.get $loss67) (f64x2.mul (local.get $notional) (v128.load offset=48 (local.get $at)))))
        (local.set $columns (i32.add (local.get $columns) (i32.const 4)))
        (local.set $notionals (i32.add (local.get $notionals) (i32.const 8)))
        (br $position)))
    (local.set $at (i32.add (local.get $losses) (local.get $first)))
    (v128.store (local.get $at) (local.get $loss01))
    (v128.store offset=16 (local.get $at) (local.get $loss23))
    (v128.store offset=32 (local.get $at) (local.get $loss45))
    (v128.store offset=48 (local.get $at) (local.get $loss67)))

  ;; Adds what positions lose to the losses of every scenario, in whole blocks of eight, from whole rows of single precision.
  (func (export "addWhole")
    (param $count i32) (param $losses i32) (param $rows i32) (param $notionals i32) (param $positions i32)
    (local $scenario i32) (local $row i32) (local $end i32) (local $held i32) (local $at i32) (local $notional v128)
    (local $loss01 v128) (local $loss23 v128) (local $loss45 v128) (local $loss67 v128)
    (local.set $end (i32.add (local.get $rows) (i32.shl (local.get $positions) (i32.const 2))))
    (block $done
      (loop $block
        (br_if $done (i32.ge_u (local.get $scenario) (local.get $count)))
        (local.set $loss01 (v128.load (local.get $losses)))
        (local.set $loss23 (v128.load offset=16 (local.get $losses)))
        (local.set $loss45 (v128.load offset=32 (local.get $losses)))
        (local.set $loss67 (v128.load offset=48 (local.get $losses)))
        (local.set $row (local.get $rows))
        (local.set $held (local.get $notionals))
        (block $summed
          (loop $position
            (br_if $summed (i32.ge_u (local.get $row) (local.get $end)))
            (local.set $at (i32.add (i32.load (local.get $row)) (i32.shl (local.get $scenario) (i32.const 2))))
            (local.set $notional (v128.load64_splat (local.get $held)))
            (local.set $loss01
              (f64x2.sub
                (local.get $loss01)
                (f64x2.mul
                  (local.get $notional)
                  (f64x2.promote_low_f32x4 (v128.load64_zero (local.get $at))))))
            (local.set $loss23
              (f64x2.sub
                (local.get $loss23)
                (f64x2.mul
                  (local.get $notional)
                  (f64x2.promote_low_f32x4 (v128.load64_zero offset=8 (local.get $at))))))
            (local.set $loss45
              (f64x2.sub
                (local.get $loss45)
                (f64x2.mul
                  (local.get $notional)
                  (f64x2.promote_low_f32x4 (v128.load64_zero offset=16 (local.get $at))))))
            (local.set $loss67
              (f64x2.sub
                (local.get $loss67)
                (f64x2.mul
                  (local.get $notional)
                  (f64x2.promote_low_f32x4 (v128.load64_zero offset=24 (local.get $at))))))
            (local.set $row (i32.add (local.get $row) (i32.const 4)))
            (local.set $held (i32.add (local.get $held) (i32.const 8)))
            (br $position)))
        (v128.store (local.get $losses) (local.get $loss01))
        (v128.store offset=16 (local.get $losses) (local.get $loss23))
        (v128.store offset=32 (local.get $losses) (local.get $loss45))
        (v128.store offset=48 (local.get $losses) (local.get $loss67))
        (local.set $losses (i32.add (local.get $losses) (i32.const 64)))
        (local.set $scenario (i32.add (local.get $scenario) (i32.const 8)))
        (br $block))))

  ;; A row's returns of the scenarios of slots [0, count), as doubles, and the lowest and highest of them.
  (func (export "gatherColumn")
    (param $row i32) (param $scenarios i32) (param $count i32) (param $returns i32) (param $range i32)
    (local $end i32) (local $two v128) (local $lowest v128) (local $highest v128)
    (local.set $lowest (f64x2.splat (f64.const inf)))
    (local.set $highest (f64x2.splat (f64.const -inf)))
    (local.set $end (i32.add (local.get $scenarios) (i32.shl (i32.and (local.get $count) (i32.const -2)) (i32.const 2))))
    (block $done
      (loop $pair
        (br_if $done (i32.ge_u (local.get $scenarios) (local.get $end)))
        (local.set $two
          (f64x2.promote_low_f32x4
            (v128.load32_lane 1
              (i32.add (local.get $row) (i32.shl (i32.load offset=4 (local.get $scenarios)) (i32.const 2)))
              (v128.load32_zero
                (i32.add (local.get $row) (i32.shl (i32.load (local.get $scenarios)) (i32.const 2)))))))
        (v128.store (local.get $returns) (local.get $two))
        (local.set $lowest (f64x2.pmin (local.get $lowest) (local.get $two)))
        (local.set $highest (f64x2.pmax (local.get $highest) (local.get $two)))
        (local.set $scenarios (i32.add (local.get $scenarios) (i32.const 8)))
        (local.set $returns (i32.add (local.get $returns) (i32.const 16)))
        (br $pair)))
    (if (i32.and (local.get $count) (i32.const 1))
      (then
        (local.set $two
          (f64x2.splat
            (f64.promote_f32
              (f32.load (i32.add (local.get $row) (i32.shl (i32.load (local.get $scenarios)) (i32.const 2)))))))
        (f64.store (local.get $returns) (f64x2.extract_lane 0 (local.get $two)))
        (local.set $lowest (f64x2.pmin (local.get $lowest) (local.get $two)))
        (local.set $highest (f64x2.pmax (local.get $highest) (local.get $two)))))
    (f64.store
      (local.get $range)
      (f64.min (f64x2.extract_lane 0 (local.get $lowest)) (f64x2.extract_lane 1 (local.get $lowest))))
    (f64.store offset=8
      (local.get $range)
      (f64.max (f64x2.extract_lane 0 (local.get $highest)) (f64x2.extract_lane 1 (local.get $highest)))))

  ;; Fills the blocks of slots [from, count) whose first loss is not known. "from" begins a block.
  (func (export "fillMissing")
    (param $from i32) (param $count i32)
    (param $losses i32) (param $columns i32) (param $notionals i32) (param $positions i32)
    (local $loss f64)
    (block $done
      (loop $block
        (br_if $done (i32.ge_u (local.get $from) (local.get $count)))
        (local.set $loss (f64.load (i32.add (local.get $losses) (i32.shl (local.get $from) (i32.const 3)))))
        (if (f64.ne (local.get $loss) (local.get $loss))
          (then
            (call $fillBlock
              (local.get $from) (local.get $losses)
              (local.get $columns) (local.get $notionals) (local.get $positions))))
        (local.set $from (i32.add (local.get $from) (i32.const 8)))
        (br $block))))

  ;; Puts the loss of a slot, which stands last of those in order, where it belongs; the place that it got, an address in
  ;; the order. The larger loss comes first, of equal ones the earlier scenario.
  (func $sink
    (param $loss f64) (param $slot i32) (param $place i32) (param $value i32) (param $order i32) (param $scenarios i32)
    (result i32)
    (local $before f64)
    (block $placed
      (loop $next
        (br_if $placed (i32.le_u (local.get $place) (local.get $order)))
        (local.set $before (f64.load (i32.sub (local.get $value) (i32.const 8))))
        (if (i32.eqz (f64.gt (local.get $loss) (local.get $before)))
          (then
            (br_if $placed (f64.ne (local.get $loss) (local.get $before)))
            (br_if $placed
              (i32.ge_u
                (i32.load (i32.add (local.get $scenarios) (i32.shl (local.get $slot) (i32.const 2))))
                (i32.load
                  (i32.add
                    (local.get $scenarios)
                    (i32.shl (i32.load16_u (i32.sub (local.get $place) (i32.const 2))) (i32.const 2))))))))
        (f64.store (local.get $value) (local.get $before))
        (i32.store16 (local.get $place) (i32.load16_u (i32.sub (local.get $place) (i32.const 2))))
        (local.set $value (i32.sub (local.get $value) (i32.const 8)))
        (local.set $place (i32.sub (local.get $place) (i32.const 2)))
        (br $next)))
    (f64.store (local.get $value) (local.get $loss))
    (i32.store16 (local.get $place) (local.get $slot))
    (local.get $place))

  ;; 1, with the order and the values sorted; 0 where that takes more moves than one a loss and "spare" ones.
  (func (export "settle")
    (param $losses i32) (param $returns i32) (param $change f64) (param $order i32) (param $length i32)
    (param $values i32) (param $scenarios i32)
    (param $columns i32) (param $notionals i32) (param $positions i32) (param $spare i32)
    (result i32)
    (local $place i32) (local $value i32) (local $end i32) (local $slot i32) (local $loss f64) (local $last f64)
    (local.set $place (local.get $order))
    (local.set $value (local.get $values))
    (local.set $end (i32.add (local.get $order) (i32.shl (local.get $length) (i32.const 1))))
    (local.set $last (f64.const inf))
    (block $done
      (loop $rank
        (br_if $done (i32.ge_u (local.get $place) (local.get $end)))
        (local.set $slot (i32.load16_u (local.get $place)))
        (local.set $loss (f64.load (i32.add (local.get $losses) (i32.shl (local.get $slot) (i32.const 3)))))
        (if (f64.ne (local.get $loss) (local.get $loss))
          (then
            (call $fillBlock
              (local.get $slot) (local.get $losses)
              (local.get $columns) (local.get $notionals) (local.get $positions))
            (local.set $loss
              (f64.load (i32.add (local.get $losses) (i32.shl (local.get $slot) (i32.const 3)))))))
        (local.set $loss
          (f64.sub
            (local.get $loss)
            (f64.mul
              (local.get $change)
              (f64.load (i32.add (local.get $returns) (i32.shl (local.get $slot) (i32.const 3)))))))
        (local.set $spare (i32.add (local.get $spare) (i32.const 1)))
        (if (f64.gt (local.get $last) (local.get $loss))
          (then
            (f64.store (local.get $value) (local.get $loss))
            (local.set $last (local.get $loss)))
          (else
            (local.set $spare
              (i32.sub
                (local.get $spare)
                (i32.shr_u
                  (i32.sub
                    (local.get $place)
                    (call $sink
                      (local.get $loss) (local.get $slot) (local.get $place) (local.get $value)
                      (local.get $order) (local.get $scenarios)))
                  (i32.const 1))))
            (if (i32.lt_s (local.get $spare) (i32.const 0)) (then (return (i32.const 0))))
            (local.set $last (f64.load (local.get $value)))))
        (local.set $place (i32.add (local.get $place) (i32.const 2)))
        (local.set $value (i32.add (local.get $value) (i32.const 8)))
        (br $rank)))
    (i32.const 1))

  ;; Keeps the changed losses of slots [0, count), loss - change x return, that are not below "least", and their slots, in
  ;; the order of the slots; their number. Of eight side by side mostly none is kept, and one comparison of them says so;
  ;; else each is put behind those kept, and stays there if it is one, which costs no branch that cannot be foreseen.
  (func (export "keepReaching")
    (param $losses i32) (param $returns i32) (param $change f64) (param $least f64) (param $count i32)
    (param $values i32) (param $slots i32)
    (result i32)
    (local $slot i32) (local $kept i32) (local $below i32) (local $bits i32)
    (local $changes v128) (local $leasts v128)
    (local $loss01 v128) (local $loss23 v128) (local $loss45 v128) (local $loss67 v128)
    (local.set $changes (f64x2.splat (local.get $change)))
    (local.set $leasts (f64x2.splat (local.get $least)))
    (block $done
      (loop $block
        (br_if $done (i32.ge_u (local.get $slot) (local.get $count)))
        (local.set $loss01
          (f64x2.sub
            (v128.load (local.get $losses))
            (f64x2.mul (local.get $changes) (v128.load (local.get $returns)))))
        (local.set $loss23
          (f64x2.sub
            (v128.load offset=16 (local.get $losses))
            (f64x2.mul (local.get $changes) (v128.load offset=16 (local.get $returns)))))
        (local.set $loss45
          (f64x2.sub
            (v128.load offset=32 (local.get $losses))
            (f64x2.mul (local.get $changes) (v128.load offset=32 (local.get $returns)))))
        (local.set $loss67
          (f64x2.sub
            (v128.load offset=48 (local.get $losses))
            (f64x2.mul (local.get $changes) (v128.load offset=48 (local.get $returns)))))
        (local.set $below
          (i32.or
            (i32.or
              (i64x2.bitmask (f64x2.lt (local.get $loss01) (local.get $leasts)))
              (i32.shl (i64x2.bitmask (f64x2.lt (local.get $loss23) (local.get $leasts))) (i32.const 2)))
            (i32.or
              (i32.shl (i64x2.bitmask (f64x2.lt (local.get $loss45) (local.get $leasts))) (i32.const 4))
              (i32.shl (i64x2.bitmask (f64x2.lt (local.get $loss67) (local.get $leasts))) (i32.const 6)))))
        (local.set $bits (i32.xor (local.get $below) (i32.const 255)))
        ;; What stands behind the last slot is nobody's.
        (if (i32.gt_u (i32.add (local.get $slot) (i32.const 8)) (local.get $count))
          (then
            (local.set $bits
              (i32.and
                (local.get $bits)
                (i32.sub (i32.shl (i32.const 1) (i32.sub (local.get $count) (local.get $slot))) (i32.const 1))))))
        (if (local.get $bits)
          (then
            (v128.store64_lane 0
              (i32.add (local.get $values) (i32.shl (local.get $kept) (i32.const 3)))
              (local.get $loss01))
            (i32.store (i32.add (local.get $slots) (i32.shl (local.get $kept) (i32.const 2))) (local.get $slot))
            (local.set $kept (i32.add (local.get $kept) (i32.and (local.get $bits) (i32.const 1))))
            (v128.store64_lane 1
              (i32.add (local.get $values) (i32.shl (local.get $kept) (i32.const 3)))
              (local.get $loss01))
            (i32.store
              (i32.add (local.get $slots) (i32.shl (local.get $kept) (i32.const 2)))
              (i32.add (local.get $slot) (i32.const 1)))
            (local.set $kept
              (i32.add (local.get $kept) (i32.and (i32.shr_u (local.get $bits) (i32.const 1)) (i32.const 1))))
            (v128.store64_lane 0
              (i32.add (local.get $values) (i32.shl (local.get $kept) (i32.const 3)))
              (local.get $loss23))
            (i32.store
              (i32.add (local.get $slots) (i32.shl (local.get $kept) (i32.const 2)))
              (i32.add (local.get $slot) (i32.const 2)))
            (local.set $kept
              (i32.add (local.get $kept) (i32.and (i32.shr_u (local.get $bits) (i32.const 2)) (i32.const 1))))
            (v128.store64_lane 1
              (i32.add (local.get $values) (i32.shl (local.get $kept) (i32.const 3)))
              (local.get $loss23))
            (i32.store
              (i32.add (local.get $slots) (i32.shl (local.get $kept) (i32.const 2)))
              (i32.add (local.get $slot) (i32.const 3)))
            (local.set $kept
              (i32.add (local.get $kept) (i32.and (i32.shr_u (local.get $bits) (i32.const 3)) (i32.const 1))))
            (v128.store64_lane 0
              (i32.add (local.get $values) (i32.shl (local.get $kept) (i32.const 3)))
              (local.get $loss45))
            (i32.store
              (i32.add (local.get $slots) (i32.shl (local.get $kept) (i32.const 2)))
              (i32.add (local.get $slot) (i32.const 4)))
            (local.set $kept
              (i32.add (local.get $kept) (i32.and (i32.shr_u (local.get $bits) (i32.const 4)) (i32.const 1))))
            (v128.store64_lane 1
              (i32.add (local.get $values) (i32.shl (local.get $kept) (i32.const 3)))
              (local.get $loss45))
            (i32.store
              (i32.add (local.get $slots) (i32.shl (local.get $kept) (i32.const 2)))
              (i32.add (local.get $slot) (i32.const 5)))
            (local.set $kept
              (i32.add (local.get $kept) (i32.and (i32.shr_u (local.get $bits) (i32.const 5)) (i32.const 1))))
            (v128.store64_lane 0
              (i32.add (local.get $values) (i32.shl (local.get $kept) (i32.const 3)))
              (local.get $loss67))
            (i32.store
              (i32.add (local.get $slots) (i32.shl (local.get $kept) (i32.const 2)))
              (i32.add (local.get $slot) (i32.const 6)))
            (local.set $kept
              (i32.add (local.get $kept) (i32.and (i32.shr_u (local.get $bits) (i32.const 6)) (i32.const 1))))
            (v128.store64_lane 1
              (i32.add (local.get $values) (i32.shl (local.get $kept) (i32.const 3)))
              (local.get $loss67))
            (i32.store
              (i32.add (local.get $slots) (i32.shl (local.get $kept) (i32.const 2)))
              (i32.add (local.get $slot) (i32.const 7)))
            (local.set $kept
              (i32.add (local.get $kept) (i32.and (i32.shr_u (local.get $bits) (i32.const 7)) (i32.const 1))))))
        (local.set $slot (i32.add (local.get $slot) (i32.const 8)))
        (local.set $losses (i32.add (local.get $losses) (i32.const 64)))
        (local.set $returns (i32.add (local.get $returns) (i32.const 64)))
        (br $block)))
    (local.get $kept))

  ;; The scenarios, of the first "count", whose loss moved by two rows' changes, loss - other x far - moved x return, is not
  ;; below "least"; their number. Returns are of single precision. Nearly always there is none.
  (func (export "findMoved")
    (param $losses i32) (param $far i32) (param $other f64) (param $returns i32) (param $moved f64) (param $least f64)
    (param $count i32) (param $found i32)
    (result i32)
    (local $scenario i32) (local $end i32) (local $first i32)
    (local $others v128) (local $moves v128) (local $leasts v128)
    (local.set $first (local.get $found))
    (local.set $others (f64x2.splat (local.get $other)))
    (local.set $moves (f64x2.splat (local.get $moved)))
    (local.set $leasts (f64x2.splat (local.get $least)))
    (block $done
      (loop $four
        (br_if $done (i32.ge_u (local.get $scenario) (local.get $count)))
        (local.set $end (i32.add (local.get $scenario) (i32.const 4)))
        (if
          (i64x2.all_true
            (v128.and
              (f64x2.lt
                (f64x2.sub
                  (f64x2.sub
                    (v128.load (local.get $losses))
                    (f64x2.mul
                      (local.get $others) (f64x2.promote_low_f32x4 (v128.load64_zero (local.get $far)))))
                  (f64x2.mul
                    (local.get $moves) (f64x2.promote_low_f32x4 (v128.load64_zero (local.get $returns)))))
                (local.get $leasts))
              (f64x2.lt
                (f64x2.sub
                  (f64x2.sub
                    (v128.load offset=16 (local.get $losses))
                    (f64x2.mul
                      (local.get $others) (f64x2.promote_low_f32x4 (v128.load64_zero offset=8 (local.get $far)))))
                  (f64x2.mul
                    (local.get $moves) (f64x2.promote_low_f32x4 (v128.load64_zero offset=8 (local.get $returns)))))
                (local.get $leasts))))
          (then
            (local.set $scenario (local.get $end))
            (local.set $losses (i32.add (local.get $losses) (i32.const 32)))
            (local.set $far (i32.add (local.get $far) (i32.const 16)))
            (local.set $returns (i32.add (local.get $returns) (i32.const 16)))
            (br $four)))
        ;; What stands behind the last scenario does not matter.
        (if (i32.gt_u (local.get $end) (local.get $count)) (then (local.set $end (local.get $count))))
        (loop $one
          (if
            (f64.ge
              (f64.sub
                (f64.sub
                  (f64.load (local.get $losses))
                  (f64.mul (local.get $other) (f64.promote_f32 (f32.load (local.get $far)))))
                (f64.mul (local.get $moved) (f64.promote_f32 (f32.load (local.get $returns)))))
              (local.get $least))
            (then
              (i32.store (local.get $found) (local.get $scenario))
              (local.set $found (i32.add (local.get $found) (i32.const 4)))))
          (local.set $scenario (i32.add (local.get $scenario) (i32.const 1)))
          (local.set $losses (i32.add (local.get $losses) (i32.const 8)))
          (local.set $far (i32.add (local.get $far) (i32.const 4)))
          (local.set $returns (i32.add (local.get $returns) (i32.const 4)))
          (br_if $one (i32.lt_u (local.get $scenario) (local.get $end))))
        (br $four)))
    (i32.shr_u (i32.sub (local.get $found) (local.get $first)) (i32.const 2)))

  ;; 1, with the largest of the kept losses, none below "least", sorted into the order and the values; 0, and nothing done,
  ;; where losses crowd. "starts" has room for a number a bucket and, behind these, for a byte a loss.
  (func (export "sortKept")
    (param $kept i32) (param $least f64) (param $order i32) (param $length i32) (param $values i32)
    (param $keptValues i32) (param $keptSlots i32) (param $scenarios i32) (param $starts i32)
    (result i32)
    (local $i i32) (local $at i32) (local $bucket i32) (local $held i32) (local $end i32) (local $last i32)
    (local $ids i32) (local $place i32) (local $behind i32) (local $slot i32) (local $value i32)
    (local $loss f64) (local $before f64)
    (if (i32.eqz (f64.gt (local.get $least) (f64.const 0))) (then (return (i32.const 0))))
    (local.set $ids (i32.add (local.get $starts) (i32.const 1024)))
    (memory.fill (local.get $starts) (i32.const 0) (i32.const 1024))
    (block $counted
      (loop $each
        (br_if $counted (i32.ge_u (local.get $i) (local.get $kept)))
        (local.set $before
          (f64.div
            (local.get $least)
            (f64.load (i32.add (local.get $keptValues) (i32.shl (local.get $i) (i32.const 3))))))
        (local.set $bucket
          (i32.trunc_sat_f64_u
            (f64.mul
              (f64.mul (f64.const 255) (local.get $before))
              (f64.mul (local.get $before) (local.get $before)))))
        (i32.store8 (i32.add (local.get $ids) (local.get $i)) (local.get $bucket))
        (local.set $at (i32.add (local.get $starts) (i32.shl (local.get $bucket) (i32.const 2))))
        (i32.store (local.get $at) (i32.add (i32.load (local.get $at)) (i32.const 1)))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $each)))
    (block $begun
      (loop $each
        (br_if $begun (i32.ge_u (local.get $last) (i32.const 256)))
        (br_if $begun (i32.ge_u (local.get $end) (local.get $length)))
        (local.set $at (i32.add (local.get $starts) (i32.shl (local.get $last) (i32.const 2))))
        (local.set $held (i32.load (local.get $at)))
        (if (i32.gt_u (local.get $held) (i32.const 32)) (then (return (i32.const 0))))
        (i32.store (local.get $at) (local.get $end))
        (local.set $end (i32.add (local.get $end) (local.get $held)))
        (local.set $last (i32.add (local.get $last) (i32.const 1)))
        (br $each)))
    ;; What lies behind the tail in its last bucket would not fit the order: it is inserted, or not, at the end.
    (local.set $i (i32.const 0))
    (block $spread
      (loop $each
        (br_if $spread (i32.ge_u (local.get $i) (local.get $kept)))
        (local.set $bucket (i32.load8_u (i32.add (local.get $ids) (local.get $i))))
        (if (i32.lt_u (local.get $bucket) (local.get $last))
          (then
            (local.set $at (i32.add (local.get $starts) (i32.shl (local.get $bucket) (i32.const 2))))
            (local.set $place (i32.load (local.get $at)))
            (i32.store (local.get $at) (i32.add (local.get $place) (i32.const 1)))
            (local.set $loss (f64.load (i32.add (local.get $keptValues) (i32.shl (local.get $i) (i32.const 3)))))
            (local.set $slot (i32.load (i32.add (local.get $keptSlots) (i32.shl (local.get $i) (i32.const 2)))))
            (if (i32.lt_u (local.get $place) (local.get $length))
              (then
                (f64.store (i32.add (local.get $values) (i32.shl (local.get $place) (i32.const 3))) (local.get $loss))
                (i32.store16
                  (i32.add (local.get $order) (i32.shl (local.get $place) (i32.const 1))) (local.get $slot)))
              (else
                (f64.store
                  (i32.add (local.get $keptValues) (i32.shl (local.get $behind) (i32.const 3))) (local.get $loss))
                (i32.store
                  (i32.add (local.get $keptSlots) (i32.shl (local.get $behind) (i32.const 2))) (local.get $slot))
                (local.set $behind (i32.add (local.get $behind) (i32.const 1)))))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $each)))
    (local.set $place (local.get $order))
    (local.set $value (local.get $values))
    (local.set $end (i32.add (local.get $order) (i32.shl (local.get $length) (i32.const 1))))
    (local.set $before (f64.const inf))
    (block $sorted
      (loop $rank
        (br_if $sorted (i32.ge_u (local.get $place) (local.get $end)))
        (local.set $loss (f64.load (local.get $value)))
        (if (f64.gt (local.get $before) (local.get $loss))
          (then (local.set $before (local.get $loss)))
          (else
            (drop
              (call $sink
                (local.get $loss) (i32.load16_u (local.get $place)) (local.get $place) (local.get $value)
                (local.get $order) (local.get $scenarios)))
            (local.set $before (f64.load (local.get $value)))))
        (local.set $place (i32.add (local.get $place) (i32.const 2)))
        (local.set $value (i32.add (local.get $value) (i32.const 8)))
        (br $rank)))
    (local.set $place (i32.sub (local.get $place) (i32.const 2)))
    (local.set $value (i32.sub (local.get $value) (i32.const 8)))
    (local.set $i (i32.const 0))
    (block $inserted
      (loop $each
        (br_if $inserted (i32.ge_u (local.get $i) (local.get $behind)))
        (local.set $loss (f64.load (i32.add (local.get $keptValues) (i32.shl (local.get $i) (i32.const 3)))))
        (local.set $slot (i32.load (i32.add (local.get $keptSlots) (i32.shl (local.get $i) (i32.const 2)))))
        (local.set $before (f64.load (local.get $value)))
        (if
          (i32.or
            (f64.gt (local.get $loss) (local.get $before))
            (i32.and
              (f64.eq (local.get $loss) (local.get $before))
              (i32.lt_u
                (i32.load (i32.add (local.get $scenarios) (i32.shl (local.get $slot) (i32.const 2))))
                (i32.load
                  (i32.add
                    (local.get $scenarios) (i32.shl (i32.load16_u (local.get $place)) (i32.const 2)))))))
          (then
            (drop
              (call $sink
                (local.get $loss) (local.get $slot) (local.get $place) (local.get $value)
                (local.get $order) (local.get $scenarios)))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $each)))
    (i32.const 1))

  ;; The largest of losses, of which there is one at least.
  (func $largest (export "largestOf") (param $losses i32) (param $count i32) (result f64)
    (local $last i32) (local $largest v128)
    (local.set $last (i32.add (local.get $losses) (i32.shl (i32.sub (local.get $count) (i32.const 1)) (i32.const 3))))
    (local.set $largest (v128.load64_splat (local.get $last)))
    (block $done
      (loop $two
        (br_if $done (i32.ge_u (local.get $losses) (local.get $last)))
        (local.set $largest (f64x2.pmax (local.get $largest) (v128.load (local.get $losses))))
        (local.set $losses (i32.add (local.get $losses) (i32.const 16)))
        (br $two)))
    (f64.max (f64x2.extract_lane 0 (local.get $largest)) (f64x2.extract_lane 1 (local.get $largest))))

  ;; A level above 0 that "wanted" of the losses reach, and few more: the lower end of one of 256 equal intervals up to the
  ;; largest. -inf where there is none. "counts" has room for a number an interval.
  (func (export "levelReached")
    (param $losses i32) (param $count i32) (param $wanted i32) (param $counts i32)
    (result f64)
    (local $last i32) (local $interval i32) (local $reached i32) (local $per f64)
    (local $pers v128) (local $intervals v128)
    (local.set $per (f64.div (f64.const 255.5) (call $largest (local.get $losses) (local.get $count))))
    (if
      (i32.eqz (i32.and (f64.gt (local.get $per) (f64.const 0)) (f64.lt (local.get $per) (f64.const inf))))
      (then (return (f64.const -inf))))
    (local.set $pers (f64x2.splat (local.get $per)))
    (memory.fill (local.get $counts) (i32.const 0) (i32.const 1024))
    (local.set $last (i32.add (local.get $losses) (i32.shl (i32.sub (local.get $count) (i32.const 1)) (i32.const 3))))
    (block $counted
      (loop $two
        (br_if $counted (i32.gt_u (local.get $losses) (local.get $last)))
        ;; What is below 0 counts in the first interval, which is not asked.
        (local.set $intervals
          (i32x4.shl
            (i32x4.trunc_sat_f64x2_s_zero
              (f64x2.pmax (f64x2.mul (local.get $pers) (v128.load (local.get $losses))) (v128.const f64x2 0 0)))
            (i32.const 2)))
        (local.set $interval (i32.add (local.get $counts) (i32x4.extract_lane 0 (local.get $intervals))))
        (i32.store (local.get $interval) (i32.add (i32.load (local.get $interval)) (i32.const 1)))
        ;; Of an odd number the last stands alone.
        (br_if $counted (i32.eq (local.get $losses) (local.get $last)))
        (local.set $interval (i32.add (local.get $counts) (i32x4.extract_lane 1 (local.get $intervals))))
        (i32.store (local.get $interval) (i32.add (i32.load (local.get $interval)) (i32.const 1)))
        (local.set $losses (i32.add (local.get $losses) (i32.const 16)))
        (br $two)))
    (local.set $interval (i32.const 256))
    (loop $next
      (local.set $interval (i32.sub (local.get $interval) (i32.const 1)))
      (if (i32.eqz (local.get $interval)) (then (return (f64.const -inf))))
      (local.set $reached
        (i32.add
          (local.get $reached)
          (i32.load (i32.add (local.get $counts) (i32.shl (local.get $interval) (i32.const 2))))))
      (br_if $next (i32.lt_u (local.get $reached) (local.get $wanted))))
    (f64.div (f64.convert_i32_u (local.get $interval)) (local.get $per)))
)
